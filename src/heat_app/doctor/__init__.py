"""`heat-trio doctor`: what is the matter with a stack, and what is owed to it done on request."""
