"""Settings written as words on the command line."""

import pytest

from lemaj_core.errors import SettingsError
from lemaj_core.options import KEYS, as_words, with_words
from lemaj_core.types import RunSettings


def test_words_change_the_settings_and_can_be_written_again():
    words = ["preset=hazard", "votes=5", "vote_models=a/b, c/d", "all-na=zero", "proxies=packaged,gpt2", "cu_mode=fast",
             "paraphrase_column=para", "perturbation_column=pert", "deadline=90"]  # fmt: skip
    found = with_words(RunSettings(beta=2.0), words)
    assert (found.preset, found.votes, found.vote_models, found.all_na) == ("hazard", 5, ("a/b", "c/d"), "zero")
    assert found.deadline == 90.0
    assert (found.proxies, found.cu_mode) == (("packaged", "gpt2"), "fast")
    assert (found.paraphrase_column, found.perturbation_column) == ("para", "pert")
    assert with_words(RunSettings(beta=2.0), as_words(found)) == found
    assert as_words(RunSettings()) == []


def test_own_dimensions_carry_their_weights():
    found = with_words(RunSettings(), ["dimensions=party: the landlord:0.7,date:0.3,plain"])
    assert found.preset == "own"
    assert found.dimensions == {"party: the landlord": 0.7, "date": 0.3, "plain": 1.0}
    assert with_words(RunSettings(), as_words(found)) == found


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("preset", "must be KEY=VALUE"),
        ("beta=2", "must be KEY=VALUE with one of the keys preset"),
        ("preset=medical", "must be legal or hazard or own"),
        ("preset=own", "needs dimensions"),
        ("votes=0", "whole number from 1"),
        ("votes=2.5", "whole number from 1"),
        ("deadline=0", "minutes above 0"),
        ("deadline=soon", "minutes above 0"),
        ("dimensions=a:-1", "weight of 0 or more"),
        ("dimensions=a:nan", "weight of 0 or more"),
        ("dimensions=:1", "weight of 0 or more"),
    ],
)
def test_a_word_that_does_not_fit_says_why(word, said):
    with pytest.raises(SettingsError, match=said):
        with_words(RunSettings(), [word])


def test_every_key_is_a_setting():
    assert all(hasattr(RunSettings(), key) for key in KEYS)
