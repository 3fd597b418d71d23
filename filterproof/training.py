"""Trainings with a budget for each person: clipped sums, trainings on two data sets, and audits of them."""

from filterproof.filters.accountants.clipped_sums import ClippedSums, PrivateSum, Vectors
from filterproof.filters.accountants.secret_noise import SecretNoise
from filterproof.filters.rules.unsound_sums import ClippingAfterAdding, ForgettingSums
from filterproof.mc.training.descent import Descent
from filterproof.mc.training.digits import digits
from filterproof.mc.training.network import Network
from filterproof.mc.training.retraining import train_idx
from filterproof.mc.training.simulated_training import simulate_training
from filterproof.mc.training.training import LogisticTraining, Training, WithCanary
from filterproof.mc.training.training_audit import TrainingAudit, audit_training

__all__ = [
    "ClippedSums",
    "ClippingAfterAdding",
    "Descent",
    "ForgettingSums",
    "LogisticTraining",
    "Network",
    "PrivateSum",
    "SecretNoise",
    "Training",
    "TrainingAudit",
    "Vectors",
    "WithCanary",
    "audit_training",
    "digits",
    "simulate_training",
    "train_idx",
]
