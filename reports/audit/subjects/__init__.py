"""What the laws are asked of: each library's own objects as filters, one file a library, which imports it late."""
