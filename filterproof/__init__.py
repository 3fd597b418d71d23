"""Filterproof: is a privacy filter's promise true, and how tight is it?"""
