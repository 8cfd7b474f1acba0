"""heat_core.convergence"""
