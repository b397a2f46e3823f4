"""Faculties of agents that read: who they are, what they see in a situation, what they plan."""
