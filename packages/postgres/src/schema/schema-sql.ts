// The database objects of one schema. All are created again by `initPostgres`, so functions change with the release.
//
// Refusals are results, not SQL errors: the server writes each error to its log, and conflicts are everyday events.

/** The version of the schema. A storage accepts only its own. */
export const schemaVersion = 1;

/** timestamptz would round the seventh digit, and depends on the time zone of the session as text. */
const nowUs = "(extract(epoch from clock_timestamp()) * 1000000)::bigint";

/** The statements that change a stored row: by table, PartitionKey, RowKey, the version, body and removed members. */
export interface ChangeTexts {
  readonly m: string;
  readonly r: string;
  readonly d: string;
}

/**
 * Plain statements for single changes of stored rows. A merge that makes a row too large fails with PT000.
 *
 * @param isAsked - whether the row must have a version: its time and number are then the fourth and fifth value
 */
export function changeTexts(s: string, isAsked: boolean): ChangeTexts {
  const table = `(select id from ${s}.tables where lower(name) = lower($1::text collate "C"))`;
  const version = isAsked ? " and x.at = $4 and x.version = $5" : "";
  const where = `where x.t = ${table} and x.pk = $2 and x.rk = $3${version}`;
  const [body, dropped] = isAsked ? ["$6::jsonb", "$7::text[]"] : ["$4::jsonb", "$5::text[]"];
  const update = `update ${s}.rows x set version = nextval('${s}.versions'), at = greatest(x.at + 1, ${nowUs}),`;
  const returning = `returning x.version, x.at, ${nowUs}`;
  const size = `case when pg_column_size(m) < 2000 then pg_column_size(m) else ${s}.checked_size(x.pk, x.rk, m) end`;
  const merged = `(select m, ${size} from (select (x.body - ${dropped}) || ${body} m offset 0) y)`;
  return {
    m: `${update} (body, bytes) = ${merged} ${where} ${returning}`,
    r: `${update} body = ${body}, bytes = pg_column_size(${body}) ${where} ${returning}`,
    d: `delete from ${s}.rows x ${where} returning 0, 0, ${nowUs}`,
  };
}

/** The number of the table with the name `tab`; null if there is none. */
const tableId = (s: string): string =>
  `(select id from ${s}.tables where lower(name) = lower(tab collate "C"))`;

/**
 * Statements of PL/pgSQL that write one row: by the variables tid, part, row_key, kind, asked_at, asked, given and
 * dropped. They set new_version and new_at, or code to the service's code. If a merge makes a row too large, they report
 * it after they wrote the row, so the caller has to undo it.
 *
 * Read committed is enough: each condition is in the statement that writes. That statement waits for a transaction that
 * holds the row and then checks the row again, and a written row stays locked until the transaction ends.
 *
 * @param tid - the number of the table for rows that must be stored: the variable, or a query
 */
function writeRow(s: string, tid: string): string {
  const key = `x.t = ${tid} and x.pk = part and x.rk = row_key`;
  const condition = `${key} and (asked is null or (x.version = asked and x.at = asked_at))`;
  const next = `version = nextval('${s}.versions'), at = greatest(x.at + 1, now_us)`;
  const insert = `insert into ${s}.rows as x
      values (tid, part, row_key, nextval('${s}.versions'), now_us, pg_column_size(given), given)`;
  const conflict =
    "on conflict (t, pk, rk) do update set version = excluded.version, at = greatest(x.at + 1, excluded.at)";
  const merged =
    "(body, bytes) = (select m, pg_column_size(m) from (select (x.body - dropped) || given m offset 0) y)";
  const result = "returning x.version, x.at, x.bytes into new_version, new_at, size";
  return `code := null; new_version := null;
  if kind = 'm' then
    update ${s}.rows x set ${next}, ${merged} where ${condition} ${result};
  elsif kind = 'r' then
    update ${s}.rows x set ${next}, body = given, bytes = pg_column_size(given) where ${condition} ${result};
  elsif kind = 'i' then
    ${insert} on conflict do nothing ${result};
  elsif kind = 'R' then
    ${insert} ${conflict}, body = excluded.body, bytes = excluded.bytes ${result};
  elsif kind = 'M' then
    ${insert} ${conflict}, ${merged} ${result};
  else
    delete from ${s}.rows x where ${condition} returning 0, 0 into new_version, new_at;
  end if;
  if new_version is null then
    code := case when kind = 'i' then 'EntityAlreadyExists'
      -- If any version was accepted, the row was not there; it does not matter whether it is there by now.
      when asked is not null and exists (select from ${s}.rows x where ${key}) then 'UpdateConditionNotSatisfied'
      else 'ResourceNotFound' end;
  elsif (kind = 'm' or kind = 'M') and size >= 2000 then
    select ${s}.problem_of(part, row_key, x.body) into code from ${s}.rows x where ${key};
  end if;`;
}

/** @param s - the name of the schema, which needs no quotation marks */
export const schemaSql = (s: string): string => `
-- "if not exists" would ask for the right to create schemas even if the schema exists.
do $$ begin
  if to_regnamespace('${s}') is null then create schema ${s}; end if;
end $$;

create table if not exists ${s}.tables (
  id int generated always as identity primary key, -- never repeats, so late writers do no harm
  name text collate "C" not null
);
create unique index if not exists tables_name on ${s}.tables (lower(name));

-- Deleted tables whose rows are not all removed yet.
create table if not exists ${s}.dropped (id int primary key, at timestamptz not null default now());

-- The number of a row's version. A session that kept numbers in reserve could give one twice, so: cache 1.
create sequence if not exists ${s}.versions cache 1;

create table if not exists ${s}.rows (
  t int not null,
  pk text collate "C" not null, -- keys in a form whose code points sort as UTF-16 units do
  rk text collate "C" not null,
  version bigint not null,
  at bigint not null,           -- microseconds since 1970 by the clock of the database
  bytes int not null,           -- the size of the body before it is compressed
  body jsonb not null,
  primary key (t, pk, rk)
);

create or replace function ${s}.schema_version() returns int language sql immutable parallel safe
as $$ select ${schemaVersion} $$;

create or replace function ${s}.now_us() returns bigint language sql volatile parallel safe as $$ select ${nowUs} $$;

-- The number of UTF-16 units of a text.
create or replace function ${s}.units(s text) returns int language sql immutable parallel safe
as $$ select case when octet_length(s) = length(s) then length(s)
  else length(s) + length(regexp_replace(s, '[^\\U00010000-\\U0010FFFF]', '', 'g')) end $$;

-- The limit that a merged row exceeds, as the service's code: 252 properties, and 1 MiB by the service's formula.
create or replace function ${s}.problem_of(pk text, rk text, body jsonb) returns text language plpgsql immutable as $$
declare properties int; total bigint;
begin
  select count(*), sum(8 + 2 * length(e.key) + case jsonb_typeof(e.value)
      when 'boolean' then 1
      when 'number' then case when e.value::text ~ '^-?[0-9]+$' and not body ? (e.key || '@odata.type') then 4 else 8 end
      else case body ->> (e.key || '@odata.type')
        when 'Edm.Int64' then 8 when 'Edm.Double' then 8 when 'Edm.DateTime' then 8 when 'Edm.Guid' then 16
        when 'Edm.Binary' then length(e.value #>> '{}') / 4 * 3
          - (length(e.value #>> '{}') - length(rtrim(e.value #>> '{}', '='))) + 4
        else 2 * ${s}.units(e.value #>> '{}') + 4 end end)
    into properties, total
    from jsonb_each(body) e where e.key not like '%@%';
  if properties > 252 then return 'TooManyProperties'; end if;
  if total + 4 + 2 * (${s}.units(pk) + ${s}.units(rk)) > 1048576 then return 'EntityTooLarge'; end if;
  return null;
end $$;

-- The size of a merged row. Fails with PT000 and the service's code if the row exceeds a limit.
create or replace function ${s}.checked_size(pk text, rk text, body jsonb) returns int language plpgsql immutable as $$
declare problem text := ${s}.problem_of(pk, rk, body);
begin
  if problem is not null then raise exception using errcode = 'PT000', message = problem; end if;
  return pg_column_size(body);
end $$;

-- Applies one operation. kind: i insert, m merge, r replace, M and R the same for a row that may be new, d delete. An
-- update or a deletion can require a time and a version.
create or replace function ${s}.write(tab text, part text, row_key text, kind text, asked_at bigint, asked bigint,
  given jsonb, dropped text[], out code text, out new_version bigint, out new_at bigint, out now_us bigint)
language plpgsql as $$
declare tid int; size int;
begin
  now_us := ${nowUs};
  if kind = 'i' or kind = 'R' or kind = 'M' then
    tid := ${tableId(s)};
    if tid is null then code := 'TableNotFound'; return; end if;
  end if;
  ${writeRow(s, tableId(s))}
  if code = 'ResourceNotFound' and ${tableId(s)} is null then code := 'TableNotFound'; end if;
  -- Only an error undoes the merge that made the row too large.
  if code is not null and new_version is not null then raise exception using errcode = 'PT000', message = code; end if;
end $$;

-- Applies 1 to 100 operations of one partition, all or none.
--   kinds: a letter for each; ops: a list of {r: RowKey, a, v: time and version that it requires, absent for any,
--   b: body, d: members that a merge removes}
-- Returns versions and times in the order of the operations, or the first that fails in that order.
--
-- Rows are written in the order of their keys, inserts included, so no two transactions wait for each other.
create or replace function ${s}.apply(tab text, part text, kinds text, ops jsonb,
  out failed int, out code text, out versions bigint[], out times bigint[], out now_us bigint)
language plpgsql as $$
declare
  tid int; o record; row_key text; kind text; asked_at bigint; asked bigint; given jsonb; dropped text[];
  new_version bigint; new_at bigint; size int; refusal text;
begin
  tid := ${tableId(s)};
  now_us := ${nowUs};
  if tid is null then code := 'TableNotFound'; return; end if;
  begin -- a subtransaction: undone if an operation is refused
    if kinds ~ '^(i+|R+)$' then -- one statement for all of them
      with listed as materialized (
        select g.r, g.b, g.n
        from rows from (jsonb_to_recordset(ops) as (r text, b jsonb)) with ordinality g(r, b, n)
      ), written as (
        insert into ${s}.rows as x
        select tid, part, r, nextval('${s}.versions'), now_us, pg_column_size(b), b from listed order by r collate "C"
        on conflict (t, pk, rk) do update set version = excluded.version, at = greatest(x.at + 1, excluded.at),
          body = excluded.body, bytes = excluded.bytes
        where left(kinds, 1) = 'R'
        returning rk, x.version, x.at
      )
      select min(g.n - 1) filter (where w.rk is null), array_agg(w.version order by g.n), array_agg(w.at order by g.n)
        into failed, versions, times from listed g left join written w on w.rk = g.r;
      code := case when failed is not null then 'EntityAlreadyExists' end;
    else
      versions := array_fill(0::bigint, array[length(kinds)]);
      times := versions;
      for o in
        select g.*, substr(kinds, g.n::int, 1) k
        from rows from (jsonb_to_recordset(ops) as (r text, a bigint, v bigint, b jsonb, d text[]))
          with ordinality g(r, a, v, b, d, n)
        order by g.r collate "C"
      loop
        continue when o.n - 1 > failed; -- an earlier operation was refused, so this one cannot be the first
        row_key := o.r; kind := o.k; asked_at := o.a; asked := o.v; given := o.b; dropped := o.d;
        ${writeRow(s, "tid").replaceAll("code :=", "refusal :=").replaceAll("into code", "into refusal")}
        versions[o.n] := new_version;
        times[o.n] := new_at;
        if refusal is not null then
          code := refusal;
          failed := o.n - 1;
        end if;
      end loop;
    end if;
    if failed is not null then raise exception using errcode = 'PT000'; end if;
  exception when sqlstate 'PT000' then null;
  end;
end $$;

-- Views for people: one for each table, if the role may create them. They find the table by its name, so a view that
-- could not be dropped is right again if the table is created again.
do $$ begin
  if to_regnamespace('${s}_views') is null and has_database_privilege(current_database(), 'create') then
    create schema ${s}_views;
  end if;
end $$;

create or replace function ${s}.change_view(spelled text, change text) returns void language plpgsql as $$
begin
  if not exists (select from pg_catalog.pg_namespace
    where nspname = '${s}_views' and has_schema_privilege(oid, 'create')) then return; end if;
  set local lock_timeout = '1s'; -- a person may be reading the view
  execute format(change, spelled);
exception when others then null; -- views of other people may depend on it, or another role may own it
end $$;

create or replace function ${s}.create_table(tab text) returns text language plpgsql as $$
begin
  insert into ${s}.tables (name) values (tab) on conflict do nothing;
  if not found then return 'TableAlreadyExists'; end if;
  perform ${s}.change_view(tab, 'create or replace view ${s}_views.%1$I as select pk as "PartitionKey", rk as "RowKey", '
    'to_timestamp(at / 1000000.0) as "Timestamp", body from ${s}.rows '
    'where t = (select id from ${s}.tables where lower(name) = lower(%1$L collate "C"))');
  return null;
end $$;

-- A write that is running may leave rows, under a number that no other table will have: \`sweep\` removes them.
create or replace function ${s}.delete_table(tab text) returns text language plpgsql as $$
declare tid int; spelled text;
begin
  delete from ${s}.tables where lower(name) = lower(tab collate "C") returning id, name into tid, spelled;
  if tid is null then return 'ResourceNotFound'; end if;
  insert into ${s}.dropped (id) values (tid);
  perform ${s}.change_view(spelled, 'drop view if exists ${s}_views.%I');
  return null;
end $$;

-- Removes rows of deleted tables, at most \`most\` of them; the number of removed rows. Only one session at a time does
-- this; null if another one does. A table's number is forgotten an hour after its deletion, when no write can still be running.
create or replace function ${s}.sweep(most int) returns int language plpgsql as $$
declare removed int;
begin
  if not pg_try_advisory_xact_lock(hashtext('partita sweep ${s}')) then return null; end if;
  delete from ${s}.rows where ctid = any(array(
    select r.ctid from ${s}.dropped d cross join lateral
      (select ctid from ${s}.rows where t = d.id limit most for update skip locked) r limit most));
  get diagnostics removed = row_count;
  if removed = 0 then
    delete from ${s}.dropped d where at < now() - interval '1 hour' and not exists (select from ${s}.rows where t = d.id);
  end if;
  return removed;
end $$;
`;

/** The statements that let a role use the tables of a schema, but not change the schema. */
export function grantsFor(s: string, name: string): readonly string[] {
  const role = `"${name.replaceAll('"', '""')}"`;
  return [
    `grant usage on schema ${s} to ${role};`,
    `grant select, insert, update, delete on ${s}.rows, ${s}.tables, ${s}.dropped to ${role};`,
    `grant usage on sequence ${s}.versions to ${role};`,
    `grant execute on all functions in schema ${s} to ${role};`,
  ];
}
