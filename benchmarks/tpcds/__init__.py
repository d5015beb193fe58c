"""Items and store sales of TPC-DS, beside the figures of OD-ETL 3.6: many small jobs, one large, full ones, and readers meanwhile."""
