"""The arithmetic of the measures, held to reference numbers, properties and simulations."""
