"""The answers that are judged: each of the size of a real one, each different, over the contracts of the sample.

DeepEval gets the same answers with the same document as the one retrieved context.
"""

from pathlib import Path

CONTRACTS = Path(__file__).parent.parent.parent / "data" / "contracts"


def texts() -> list[tuple[str, str]]:
    """Contracts by name."""
    return [(path.stem, path.read_text(encoding="utf-8")) for path in sorted(CONTRACTS.glob("*.txt"))]


def rows(count: int, *, start: int = 0) -> list[tuple[str, str, str, str]]:
    """Id, question, answer and the name of the contract; neighbours share a contract, as in a file that a user has."""
    names = [name for name, _ in texts()]
    made = []
    for number in range(start, start + count):
        name = names[number * len(names) // (start + count)]
        made.append(
            (
                f"a{number}",
                f"What notice must a party give under clause {number % 17 + 1} of agreement {number}?",
                f"Under agreement {number} the party must give thirty days of written notice to the other party. "
                f"The notice has to name the reason under clause {number % 17 + 1} and the date on which it takes "
                "effect. Notice by electronic mail is enough where the other party has confirmed that it came in. "
                "Without notice the agreement is extended by another year on the same terms.",
                name,
            )
        )
    return made
