"""Parts of the pages. They may import the core; the core never imports them."""
