# a note before the alias
select * from s.t -- note
as x;
select * from X -- note
as x;
# a block comment before the alias, with one inside
select * from s.t /* a /* s.t */ b */ x, s.u;
select * from X /* a /* s.t */ b */ x, Y as u;
# a comment that a backslash continues
select * from s.t -- note \
s.t s.u
where true;
select * from X as t -- note \
s.t s.u
where true;
# hints stay as they are
select /*+ broadcast(s.t) */ * from s.t;
select /*+ broadcast(s.t) */ * from X as t;
# lateral view is no alias, and its columns are no tables
select * from s.t lateral view explode(x) v as y, s.u;
select * from X as t lateral view explode(x) v as y, s.u;
# an alias belongs behind a sample
select * from s.t tablesample (10 percent) join s.u tablesample (5 rows) as y;
select * from X tablesample (10 percent) as t join Y tablesample (5 rows) as y;
# pivot and unpivot
select * from s.t pivot (sum(a) for b in (1, 2)), s.u unpivot (v for k in (c, d));
select * from X as t pivot (sum(a) for b in (1, 2)), Y as u unpivot (v for k in (c, d));
# unpivot include nulls
select * from s.t unpivot include nulls (v for k in (c, d)) as n join s.u unpivot;
select * from X as t unpivot include nulls (v for k in (c, d)) as n join Y unpivot;
# pipes
from s.t |> where t.x > 1 |> join s.u on t.k = u.k |> union all table s.t |> select a, s.u;
from X as t |> where t.x > 1 |> join Y as u on t.k = u.k |> union all select * from X as t |> select a, s.u;
# backticks
select * from `s`.`t` join s.`u` as `a b` join `s.t` join `s``x`.t;
select * from X as t join Y as `a b` join `s.t` join `s``x`.t;
# three parts
select * from spark_catalog.s.t join other.s.t join SPARK_CATALOG.`S`.U v;
select * from X as t join other.s.t join Y v;
# upper and lower case
SELECT * FROM S.T JOIN s.U AS X1;
SELECT * FROM X as t JOIN Y AS X1;
# blanks and comments inside a name
select * from s . t, s./* here */u;
select * from X as t, Y as u;
# texts
select 's.t', "from s.t", r'\' , 'it\'s from s.t', 'it''s from s.t', """ s.t", '
from s.t' from s.t;
select 's.t', "from s.t", r'\' , 'it\'s from s.t', 'it''s from s.t', """ s.t", '
from s.t' from X as t;
# longer names, columns and stars
select s.t.k, s.t.*, s.tt.k, t.s.t from s.t as t where s.t.k = 1;
select s.t.k, s.t.*, s.tt.k, t.s.t from X as t where s.t.k = 1;
# a column by its table's full name
select s.t.k, s.t.*, spark_catalog.s.t.k, count(s.u.k) from s.t join s.u as u on s.t.k = s.u.k;
select t.k, t.*, t.k, count(s.u.k) from X as t join Y as u on t.k = s.u.k;
# a column that is called as a table
select s.t, x.t from s.u as s where s.t is distinct from s.t order by s.t;
select s.t, x.t from Y as s where s.t is distinct from s.t order by s.t;
# from in functions
select extract(year from s.t), trim(both 'a' from s.t), trim(from s.t), substring(s.t from 2) from s.u;
select extract(year from s.t), trim(both 'a' from s.t), trim(from s.t), substring(s.t from 2) from Y as u;
# every join
select * from s.t inner join s.u on true left join s.t a on true right outer join s.u full outer join s.t cross join s.u left semi join s.t on true left anti join s.u natural join s.t;
select * from X as t inner join Y as u on true left join X a on true right outer join Y as u full outer join X as t cross join Y as u left semi join X as t on true left anti join Y as u natural join X as t;
# on, using and a comma behind
select * from s.t join s.u on s.t.k in (1, 2), s.t b join s.u c using (k, l), s.t;
select * from X as t join Y as u on t.k in (1, 2), X b join Y c using (k, l), X as t;
# parentheses
select * from (s.t join s.u using (k)), ((select * from s.t)) q, (s.u);
select * from (X as t join Y as u using (k)), ((select * from X as t)) q, (Y as u);
# table
table s.t;
select * from X as t;
# table in a query
with p as (table s.t), q as (table s.u limit 2) table p union table s.t order by a;
with p as (select * from X as t), q as (select * from Y as u limit 2) table p union select * from X as t order by a;
# table as an argument
select * from f(table(s.t), g => table(s.u), h => table s.t) where (table s.t) is null;
select * from f(table(X as t), g => table(Y as u), h => table (select * from X as t)) where (select * from X as t) is null;
# rows are no tables
select * from values (s.t, 1), (2, s.u) as v(a, b), s.t;
select * from values (s.t, 1), (2, s.u) as v(a, b), X as t;
# functions are no tables
select * from s.t(1), lateral s.u(2), range(3), lateral (select * from s.t);
select * from s.t(1), lateral s.u(2), range(3), lateral (select * from X as t);
# except in a select list
select * except (a) from s.t except select a.* except (b, c) from s.u a;
select * except (a) from X as t except select a.* except (b, c) from Y a;
# clauses behind
select * from s.t group by all order by 1 limit 1 union select * from s.u window w as (order by 1);
select * from X as t group by all order by 1 limit 1 union select * from Y as u window w as (order by 1);
# words that are aliases here
select * from s.t version join s.u timestamp join s.t group, s.u window, s.t sort;
select * from X version join Y timestamp join X group, Y window, X sort;
# hive's from
from s.t select * where exists (from s.u select 1);
from X as t select * where exists (from Y as u select 1);
# with clauses
with t as (select * from s.t), recursive u(n) as (select 1 from s.u) select * from t, u, s.t;
with t as (select * from X as t), recursive u(n) as (select 1 from Y as u) select * from t, u, X as t;
# group by with rollup
select s.t from s.u group by s.t with rollup having s.t > 1;
select s.t from Y as u group by s.t with rollup having s.t > 1;
# options of a table
select * from s.t with ('a' = '1') where true;
select * from X with ('a' = '1') as t where true;
# other letters and placeholders
select größe, ${x}, '${s.t}', {y}, 1e5D, 1L, .5 from s.t größe where a!=1.5BD and b<=>2;
select größe, ${x}, '${s.t}', {y}, 1e5D, 1L, .5 from X größe where a!=1.5BD and b<=>2;
# an address as a name
select * from http://a--b/s.t, s.t;
select * from http://a--b/s.t, X as t;
# a text between dollars
select $$ from s.t ' $$, $q$ -- $$ $q$ from s.t;
select $$ from s.t ' $$, $q$ -- $$ $q$ from X as t;
