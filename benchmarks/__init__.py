"""What incremental maintenance costs against `create or replace`, on TPC-H: `make bench`."""
