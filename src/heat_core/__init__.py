"""heat_core decides: templates, graphs, state machines. It never reaches outside the process."""
