"""Figures as pure functions from a DataFrame to a plotly Figure: no Streamlit, no store, no model."""
