"""Errors that a user may see.

LemajError
├── IngestError        a file or a document cannot be read at all
├── StoreError         the store cannot be opened, or holds no such thing
├── SettingsError      a setting, a metric, a judge or a mapping that does not exist or does not fit
├── CallFailed         a model call ended without a usable reply (has a `kind`)
└── SpendCapReached    the next call could pass the spend cap

A message says what was found, what was expected, where (file, row), and what to do.
"""


class LemajError(Exception):
    """Any error of this project whose message is meant for the user."""


class IngestError(LemajError):
    """A file or document that cannot be read at all."""


class StoreError(LemajError):
    """The store cannot be opened, is newer than this program, or holds no such run or data set."""


class SettingsError(LemajError):
    """A setting, metric, judge or mapping that does not exist or does not fit."""


class CallFailed(LemajError):
    """A model call that ended without a usable reply."""

    def __init__(self, kind: str, message: str):
        super().__init__(message)
        self.kind = kind


class SpendCapReached(LemajError):
    """The spend cap of the run is reached; what is done is kept and the run can be resumed with a higher cap."""
