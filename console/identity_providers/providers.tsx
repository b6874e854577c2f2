/** The identity providers of a group and of the groups below it. */
import { Link, useLocation } from "wouter-preact";
import type { IdentityProvider } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useCountedRows } from "../data/rows.ts";
import { shownName } from "../data/shown_name.ts";
import { parentOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { Name } from "../elements/name.tsx";
import { Page } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { capabilities } from "./capabilities.ts";

const columns: Column<IdentityProvider>[] = [
  {
    title: "Name",
    sort: "name",
    width: "minmax(8rem, 1fr)",
    cell: ({ uid, name }) => (
      <Link href={addresses.identityProvider(uid)}>{shownName(name, uid)}</Link>
    ),
  },
  {
    title: "Issuer",
    from: "medium",
    width: "minmax(10rem, 2fr)",
    cell: ({ oidc }) => <span title={oidc?.issuer}>{oidc?.issuer}</span>,
  },
  {
    title: "Default role",
    from: "wide",
    width: "minmax(6rem, 1fr)",
    cell: ({ defaultRole }) => <Name kind="roles" uid={defaultRole} />,
  },
  {
    title: "Group",
    from: "wide",
    width: "minmax(6rem, 1fr)",
    cell: ({ uid }) => <Name kind="groups" uid={parentOf(uid)} />,
  },
  {
    title: "SCIM",
    width: "5rem",
    cell: ({ scim }) =>
      scim?.enabled ? <Badge tone="good">On</Badge> : <span class="pale">Off</span>,
  },
  {
    title: "Changed",
    sort: "update_time",
    from: "medium",
    width: "8rem",
    cell: ({ updateTime }) => <Time time={updateTime} />,
  },
];

export default function Providers() {
  const client = useClient();
  const [, navigate] = useLocation();
  const { uid, group } = useCurrentGroup();
  const { get, set } = useParameters();
  const permissions = useMay(uid);
  const orderBy = get("order") || "name";
  const rows = useCountedRows<IdentityProvider>({
    key: ["identityProviders", { uid, orderBy }],
    list: (position) => client.identityProviders.list({ descendantsOf: uid, orderBy, ...position }),
    enabled: uid !== "",
  });
  return (
    <Page
      title="Identity providers"
      lead="People log in at an identity provider of their organization. The platform stores no passwords."
      actions={
        <Button
          kind="primary"
          refusal={refusalOf(permissions, group?.name ?? "", ...capabilities.create)}
          onClick={() => navigate(addresses.newIdentityProvider(uid))}
        >
          New identity provider
        </Button>
      }
    >
      <div class="toolbar">
        <RowCount rows={rows} noun={["identity provider", "identity providers"]} />
      </div>
      <Table
        label="Identity providers"
        columns={columns}
        rows={rows}
        keyOf={(provider) => provider.uid}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={
          <Empty title="There is no identity provider here">
            <p>
              Create one, and your colleagues can log in. <a href="/docs/people">The guide</a> shows
              how.
            </p>
          </Empty>
        }
      />
    </Page>
  );
}
