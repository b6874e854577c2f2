/** The columns of the table of role mappings. */
import { Link } from "wouter-preact";
import type { ExternalGroupRoleMapping } from "../../client/index.ts";
import type { Permissions } from "../data/may.ts";
import { refusalOf } from "../data/refusals.ts";
import { Icon } from "../elements/icon.tsx";
import { Menu } from "../elements/menu.tsx";
import { Name } from "../elements/name.tsx";
import type { Column } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";

/** The dialog that is open. */
export type Opened =
  | { kind: "new" }
  | { kind: "edit"; mapping: ExternalGroupRoleMapping }
  | { kind: "delete"; mappings: readonly ExternalGroupRoleMapping[] };

/** The selected role mappings by their uids. */
export type Selection = ReadonlyMap<string, ExternalGroupRoleMapping>;

export const capabilities = {
  create: ["CAP_IAM_IDENTITY_PROVIDERS_CREATE", "CAP_IAM_ROLE_BINDINGS_CREATE"],
  update: ["CAP_IAM_IDENTITY_PROVIDERS_UPDATE", "CAP_IAM_ROLE_BINDINGS_CREATE"],
  delete: ["CAP_IAM_IDENTITY_PROVIDERS_DELETE"],
} as const;

interface Actions {
  open: (opened: Opened) => void;
  permissions: Permissions;
  /** The name of the group on the page. */
  groupName: string;
  selection: Selection;
  onSelect: (selection: Selection) => void;
}

export const columns = (actions: Actions): Column<ExternalGroupRoleMapping>[] => [
  {
    title: "Select",
    width: "3rem",
    cell: (mapping) => <Selector mapping={mapping} {...actions} />,
  },
  {
    title: "External group",
    sort: "external_group_id",
    width: "minmax(5rem, 2fr)",
    cell: ({ externalGroupId }) => <bdi title={externalGroupId}>{externalGroupId}</bdi>,
  },
  {
    title: "Role",
    width: "minmax(4rem, 1fr)",
    cell: ({ roleUid = "" }) => <Name kind="roles" uid={roleUid} />,
  },
  {
    title: "On",
    from: "medium",
    width: "minmax(6rem, 1fr)",
    cell: ({ scope = "" }) => <Name kind="groups" uid={scope} />,
  },
  {
    title: "Identity provider",
    from: "medium",
    width: "minmax(7.5rem, 1fr)",
    cell: ({ identityProviderUid: uid = "" }) => (
      <Link href={addresses.identityProvider(uid)}>
        <Name kind="identityProviders" uid={uid} />
      </Link>
    ),
  },
  {
    title: "Changed",
    sort: "update_time",
    from: "wide",
    width: "8rem",
    cell: ({ updateTime }) => <Time time={updateTime} />,
  },
  {
    title: "Actions",
    isTitleHidden: true,
    align: "end",
    width: "2rem",
    cell: (mapping) => <RowMenu mapping={mapping} {...actions} />,
  },
];

interface RowProps extends Actions {
  mapping: ExternalGroupRoleMapping;
}

function Selector({ mapping, selection, onSelect }: RowProps) {
  return (
    <input
      type="checkbox"
      class="role-mappings-select"
      aria-label={`Select ${mapping.externalGroupId}`}
      checked={selection.has(mapping.uid)}
      onChange={({ currentTarget }) => {
        const next = new Map(selection);
        if (currentTarget.checked) next.set(mapping.uid, mapping);
        else next.delete(mapping.uid);
        onSelect(next);
      }}
    />
  );
}

function RowMenu({ mapping, open, permissions, groupName }: RowProps) {
  return (
    <Menu
      quiet
      label={`Actions for ${mapping.externalGroupId}`}
      actions={[
        {
          text: "Edit",
          refusal: refusalOf(permissions, groupName, ...capabilities.update),
          run: () => open({ kind: "edit", mapping }),
        },
        {
          text: "Delete",
          danger: true,
          refusal: refusalOf(permissions, groupName, ...capabilities.delete),
          run: () => open({ kind: "delete", mappings: [mapping] }),
        },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}
