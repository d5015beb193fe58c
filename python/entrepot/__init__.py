"""entrepot: a canonical, incrementally maintained warehouse as an ordinary dbt project on Spark and Delta Lake."""
