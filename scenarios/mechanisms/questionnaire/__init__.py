"""Questionnaires and interviews."""
