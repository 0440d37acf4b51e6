"""What another ordering, budget, filter or top-k would have made of the prompts in the logs."""
