"""Types of clustering (Senlin)."""
