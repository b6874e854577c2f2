/** The account associations of a group and of the groups below it. */
import { Link, useLocation } from "wouter-preact";
import type { AccountAssociation } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useCountedRows } from "../data/rows.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { Name } from "../elements/name.tsx";
import { Page } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { capabilities } from "./capabilities.ts";

/** The providers that an association links, by their names for people. */
const linkedProviders = (association: AccountAssociation): string[] => [
  ...(association.amazon ? ["AWS"] : []),
  ...(association.google ? ["Google Cloud"] : []),
  ...(association.azure ? ["Azure"] : []),
  ...(association.github ? ["GitHub"] : []),
  ...(association.vendor ? ["Services"] : []),
];

const columns: Column<AccountAssociation>[] = [
  {
    title: "Group",
    sort: "group",
    width: "minmax(7rem, 1.5fr)",
    cell: ({ uid }) => (
      <Link href={addresses.accountAssociation(uid)}>
        <Name kind="groups" uid={uid} />
      </Link>
    ),
  },
  {
    title: "Name",
    sort: "name",
    from: "medium",
    width: "minmax(7rem, 1.5fr)",
    cell: ({ name }) => name,
  },
  {
    title: "Linked",
    width: "minmax(8rem, 2fr)",
    cell: (association) => {
      const linked = linkedProviders(association);
      if (linked.length === 0) return <span class="pale">nothing</span>;
      return (
        <span class="account-associations-links">
          {linked.map((provider) => (
            <Badge key={provider}>{provider}</Badge>
          ))}
        </span>
      );
    },
  },
  {
    title: "Changed",
    sort: "update_time",
    from: "medium",
    width: "8rem",
    cell: ({ updateTime }) => <Time time={updateTime} />,
  },
];

export default function Associations() {
  const client = useClient();
  const [, navigate] = useLocation();
  const { uid, group } = useCurrentGroup();
  const { get, set } = useParameters();
  const permissions = useMay(uid);
  const orderBy = get("order") || "group";
  const rows = useCountedRows<AccountAssociation>({
    key: ["accountAssociations", { uid, orderBy }],
    list: (position) =>
      client.accountAssociations.list({ descendantsOf: uid, orderBy, ...position }),
    enabled: uid !== "",
  });
  return (
    <Page
      title="Account associations"
      lead="Services of the operator can act in the accounts of a group at cloud providers and GitHub. Neither side stores a key of the other."
      actions={
        <Button
          kind="primary"
          refusal={refusalOf(permissions, group?.name ?? "", ...capabilities.create)}
          onClick={() => navigate(addresses.accountAssociation(uid, "edit"))}
        >
          Link accounts
        </Button>
      }
    >
      <div class="toolbar">
        <RowCount rows={rows} noun={["account association", "account associations"]} />
      </div>
      <Table
        label="Account associations"
        columns={columns}
        rows={rows}
        keyOf={(association) => association.uid}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={
          <Empty title="No group here is linked to accounts">
            <p>
              Link a group to its accounts. <a href="/docs/clouds">The guide</a> shows what the
              providers need.
            </p>
          </Empty>
        }
      />
    </Page>
  );
}
