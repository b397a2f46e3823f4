"""How an answer is found in what a model wrote."""
