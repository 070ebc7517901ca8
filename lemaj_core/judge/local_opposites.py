"""Pairs of words that turn a clause into its opposite, by list and by prefix.

A short list of what contracts turn on, not a dictionary of antonyms.
"""

_PAIRS = """
before/after prior/after preceding/following before/following earlier/later earliest/latest commence/expire begin/end
start/end commencement/expiration
increase/decrease increase/reduce raise/lower more/less more/fewer greater/lesser greater/less higher/lower
higher/lesser maximum/minimum above/below
include/exclude including/excluding included/excluded inclusive/exclusive with/without written/oral writing/orally
written/verbal exclusive/nonexclusive
first/last buy/sell purchase/sell purchase/sale lend/borrow accept/reject approve/reject accepted/rejected
approval/rejection
gross/net joint/several jointly/severally jointly/separately directly/indirectly direct/indirect public/confidential
permitted/prohibited allowed/prohibited
permitted/forbidden entitled/prohibited always/never all/none all/no all/some each/no any/no everything/nothing
initial/final mandatory/optional
mandatory/voluntary domestic/foreign internal/external temporary/permanent perpetual/fixed early/late open/closed
deny/grant grant/withhold
prevailing/losing senior/junior upper/lower inside/outside within/outside receive/send debtor/creditor credit/debit
profit/loss profits/losses
terminate/renew termination/renewal terminate/continue cease/continue survive/lapse survive/expire shorter/longer
lesser/larger smaller/larger both/neither
retain/transfer retains/transfers keep/return valid/void effective/void admit/deny plaintiff/defendant daily/monthly
weekly/monthly monthly/quarterly
monthly/annually quarterly/annually monthly/annual quarterly/annual weekly/annually daily/weekly monthly/yearly
quarterly/yearly calendar/business
either/neither free/paid refundable/nonrefundable whole/part fully/partially entire/partial sole/joint only/also
""".split()  # fmt: skip
_OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in _PAIRS)
# Too common to mean anything when the texts are not otherwise the same.
_WEAK = frozenset(
    "with without all no any none some each first last within outside both neither either start end begin only"
    " also initial final whole part more less "
    "keep return open early late".split()
)
_PREFIXES = ("non-", "non", "un", "in", "ir", "im", "il", "dis")


def opposite(left: str, right: str, *, strict: bool = True) -> bool:
    """Whether two words (small letters) are opposites.

    Parameters
    ----------
    left, right : str
        Two words.
    strict : bool
        Leave out pairs of very common words, which say something only when all other words agree.

    Examples
    --------
    >>> opposite("transferable", "non-transferable"), opposite("before", "after"), opposite("fee", "rent")
    (True, True, False)
    """
    if left == right or (strict and {left, right} & _WEAK):
        return False
    if _prefixed(left, right) or _prefixed(right, left):
        return True
    return bool({frozenset((one, two)) for one in _forms(left) for two in _forms(right)} & _OPPOSITES)


def _prefixed(longer: str, shorter: str) -> bool:
    return len(shorter) > 4 and any(longer == prefix + shorter for prefix in _PREFIXES)


def _forms(word: str) -> set[str]:
    forms = {word, word.replace("-", "")}
    for ending in ("s", "es", "d", "ed", "ing"):
        if word.endswith(ending) and len(word) - len(ending) > 3:
            forms |= {word.removesuffix(ending), word.removesuffix(ending) + "e"}
    return forms
