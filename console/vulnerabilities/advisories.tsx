/** The advisories of a group. */
import { Link } from "wouter-preact";
import type { Advisory } from "../../client/index.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { useCountedRows } from "../data/rows.ts";
import { SelectField } from "../elements/fields.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { State } from "./events.tsx";
import type { GroupProps } from "./found.tsx";
import { MatchingProgress } from "./matching.tsx";

/** The fields that can be searched, as the API names them. It finds whole values only. */
const fields = [
  ["aliases", "CVE or GHSA id"],
  ["advisoryIds", "Advisory id"],
  ["artifactNames", "Artifact"],
] as const;

type Field = (typeof fields)[number][0];

/** The text as ids are written: the letters of a GHSA id are in lower case. */
function wholeValue(field: Field, text: string): string {
  if (field !== "aliases") return text;
  if (/^ghsa-/i.test(text)) return `GHSA-${text.slice(5).toLowerCase()}`;
  return /^cve-/i.test(text) ? text.toUpperCase() : text;
}

export function Advisories({ group }: GroupProps) {
  const client = useClient();
  const { get, set } = useParameters();
  const field = fields.find(([key]) => key === get("in"))?.[0] ?? "aliases";
  const text = get("q").trim();
  const orderBy = get("order") || "update_time desc";
  const rows = useCountedRows<Advisory>({
    key: ["advisories", { group, field, text, orderBy }],
    orderBy,
    list: (position) =>
      client.advisories.list({
        descendantsOf: group,
        ...(text === "" ? {} : { [field]: [wholeValue(field, text)] }),
        ...position,
      }),
  });
  return (
    <>
      <MatchingProgress key={group} group={group} />
      <div class="toolbar">
        <SelectField
          label="Search"
          value={field}
          options={fields}
          onChange={(key) => set({ in: key === "aliases" ? "" : key })}
        />
        <SearchField label="A whole id or name" value={get("q")} onSearch={(q) => set({ q })} />
        <RowCount rows={rows} noun={["advisory", "advisories"]} />
      </div>
      <Table
        label="Advisories"
        columns={columnsOf(get("group"))}
        rows={rows}
        keyOf={({ uid }) => uid}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={<Nothing isFiltered={text !== ""} />}
      />
    </>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No advisory has this value">
        <p>The search finds only whole values, such as CVE-2024-24680.</p>
      </Empty>
    );
  return (
    <Empty title="There are no advisories here yet">
      <p>
        <a href="/docs/vulnerabilities">Import</a> OSV records, OpenVEX documents or CSAF documents.
      </p>
    </Empty>
  );
}

const columnsOf = (group: string): Column<Advisory>[] => [
  {
    title: "Advisory",
    sort: "advisory_id",
    width: "minmax(9rem, 1.2fr)",
    cell: ({ advisoryId = "", aliases = [] }) => (
      <Link href={addresses.vulnerability(aliases[0] ?? advisoryId, group)}>
        <bdi title={[advisoryId, ...aliases].join(", ")}>{advisoryId}</bdi>
      </Link>
    ),
  },
  {
    title: "Vulnerability",
    sort: "aliases",
    width: "minmax(8rem, 1.2fr)",
    from: "wide",
    cell: ({ aliases = [] }) => <bdi title={aliases.join(", ")}>{aliases.join(", ")}</bdi>,
  },
  {
    title: "Artifact",
    sort: "artifact_name",
    width: "minmax(7rem, 1.2fr)",
    from: "medium",
    cell: ({ artifactName }) => <bdi title={artifactName}>{artifactName}</bdi>,
  },
  {
    title: "State",
    width: "minmax(7rem, 1fr)",
    cell: (advisory) => <State advisory={advisory} />,
  },
  {
    title: "Changed",
    sort: "update_time",
    width: "8rem",
    from: "medium",
    cell: ({ updateTime }) => <Time time={updateTime} />,
  },
];
