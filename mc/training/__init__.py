"""Trainings by sums over people, simulated on two data sets and audited, and the papers' private gradient descent."""
