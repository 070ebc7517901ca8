"""The only code that knows a model library; every library is imported when first used, never before."""
