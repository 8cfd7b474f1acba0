"""Types of workflows (Mistral)."""
