"""The sections of cross-play: scores of types under mechanisms, their actions, their agreements."""
