"""What every accountant, budget and odometer must do, asked of other libraries' objects through their adapters."""
