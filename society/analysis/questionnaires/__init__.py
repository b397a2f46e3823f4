"""Answers to questionnaires over the conditions of a study: items, scales and their reliability."""

from .given_questionnaires import (
    GivenQuestionnaire,
    ItemSummary,
    Wave,
    questionnaires_as_json,
    read_questionnaires,
    summarise_item,
)

__all__ = [
    "GivenQuestionnaire",
    "ItemSummary",
    "Wave",
    "questionnaires_as_json",
    "read_questionnaires",
    "summarise_item",
]
