"""The figures of the papers, computed again, and figures that explain them.

Each figure is a `Specification`, which has parameters and computes the data and the picture. Its texts are in
`templates/figures.toml`, in the order of the figures. Each file has one family of figures.
"""
