"""Trainings with a budget for each person: clipped sums, trainings on two data sets, and audits of them."""

from filterproof.filters.accountants.clipped_sums import ClippedSums, ImplicitVectors, NoisySum
from filterproof.filters.accountants.secret_noise import SecretNoise
from filterproof.filters.rules.unsound_sums import ClippingAfterAdding, ForgettingSums
from filterproof.mc.training.data_set import area_under_curve
from filterproof.mc.training.descent import PrivateGradientDescent
from filterproof.mc.training.digits import load_digits
from filterproof.mc.training.mimic import read_mimic
from filterproof.mc.training.network import DenseNetwork
from filterproof.mc.training.paper_tables import repeat_tables
from filterproof.mc.training.retraining import train_idx
from filterproof.mc.training.simulated_training import simulate_training
from filterproof.mc.training.training import LogisticTraining, Training, TrainingWithCanary
from filterproof.mc.training.training_audit import TrainingAudit, audit_training

__all__ = [
    "ClippedSums",
    "ClippingAfterAdding",
    "DenseNetwork",
    "ForgettingSums",
    "ImplicitVectors",
    "LogisticTraining",
    "NoisySum",
    "PrivateGradientDescent",
    "SecretNoise",
    "Training",
    "TrainingAudit",
    "TrainingWithCanary",
    "area_under_curve",
    "audit_training",
    "load_digits",
    "read_mimic",
    "repeat_tables",
    "simulate_training",
    "train_idx",
]
