/** The view of a group that shows its facts, and renames, describes and deletes it. */
import { useState } from "preact/hooks";
import type { Group, OrgKind } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { parentOf } from "../data/uids.ts";
import { useUnchanged } from "../data/unchanged.ts";
import { Badge, capitalized, type Tone } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { formatCount } from "../elements/bytes.ts";
import { Uid } from "../elements/copy.tsx";
import { CheckField, SelectField } from "../elements/fields.tsx";
import { FormError } from "../elements/form_error.tsx";
import { NamingFields, trimmed } from "../elements/naming_fields.tsx";
import { Facts, Section } from "../elements/page.tsx";
import { Time } from "../elements/time.tsx";
import { DeleteGroupDialog } from "./delete_group.tsx";

const kinds: readonly (readonly [OrgKind, string])[] = [
  ["ORG_KIND_UNSPECIFIED", "Not specified"],
  ["ORG_KIND_STARTER", "Free catalog"],
  ["ORG_KIND_CUSTOMER", "Customer"],
  ["ORG_KIND_DEV", "One developer"],
  ["ORG_KIND_INFRA", "Infrastructure"],
  ["ORG_KIND_AWS_MARKETPLACE", "AWS Marketplace"],
];

const statusTones: Record<string, Tone> = {
  ORG_STATUS_READY: "good",
  ORG_STATUS_INITIALIZING: "warn",
  ORG_STATUS_SUSPENDED: "bad",
};

export function GroupSettings({ group }: { group: Group }) {
  const isOrganization = parentOf(group.uid) === "";
  return (
    <>
      <Section title={isOrganization ? "Organization" : "Group"}>
        <GroupFacts group={group} isOrganization={isOrganization} />
      </Section>
      <NameSection group={group} isOrganization={isOrganization} />
      <DeleteSection group={group} isOrganization={isOrganization} />
    </>
  );
}

interface PartProps {
  group: Group;
  isOrganization: boolean;
}

function GroupFacts({ group, isOrganization }: PartProps) {
  const { uid, verified, kind = "ORG_KIND_UNSPECIFIED", status = "", resourceLimits = {} } = group;
  const limits = Object.entries(resourceLimits).map(
    ([name, count]) => `${capitalized(name)}: ${formatCount(count)}`,
  );
  const organization: [string, preact.ComponentChildren][] = [
    [
      "Name",
      verified ? (
        <span title="The operator has confirmed that the name belongs to the owners. It can replace the uid in image references.">
          <Badge tone="good">Verified</Badge>
        </span>
      ) : (
        <span title="Image references need the uid in place of the name. The operator can confirm the name.">
          <Badge>Not verified</Badge>
        </span>
      ),
    ],
    ["Kind", kinds.find(([value]) => value === kind)?.[1] ?? kind],
    [
      "Status",
      <Badge key="status" tone={statusTones[status] ?? "plain"}>
        {capitalized(status.replace("ORG_STATUS_", "")) || "Unknown"}
      </Badge>,
    ],
    ["Limits", limits.length > 0 ? limits.join(", ") : "None"],
  ];
  return (
    <Facts
      facts={[
        ...(isOrganization ? organization : []),
        ["Uid", <Uid key="uid" uid={uid} />],
        ["Created", <Time key="created" time={group.createTime} />],
        ["Changed", <Time key="changed" time={group.updateTime} />],
      ]}
    />
  );
}

type Values = Required<Pick<Group, "name" | "description" | "kind" | "keysDisabled">>;

const valuesOf = ({
  name,
  description = "",
  kind = "ORG_KIND_UNSPECIFIED",
  keysDisabled = false,
}: Group): Values => ({ name, description, kind, keysDisabled });

/** Changes what differs, shows it at once, and offers to undo it. */
function useRename(group: Group, isEdited: boolean) {
  const client = useClient();
  const write = useUnchanged(group, (uid) => client.groups.get(uid), isEdited);
  return useChange<Values, Group>({
    key: ["groups", group.uid],
    call: ({ name, description, ...ofOrganization }) =>
      write((options) =>
        client.groups.update(
          group.uid,
          { name, description, ...(parentOf(group.uid) === "" ? ofOrganization : {}) },
          options,
        ),
      ),
    expect: (shown, values) => ({ ...shown, ...values }),
    done: ({ name }) => `Saved ${name}.`,
    reverse: (before) => before && valuesOf(before),
  });
}

function NameSection({ group, isOrganization }: PartProps) {
  const [edits, setEdits] = useState<Partial<Values>>({});
  const values = { ...valuesOf(group), ...edits };
  const permissions = useMay(group.uid);
  const rename = useRename(group, Object.keys(edits).length > 0);
  const edit = (changed: Partial<Values>) => setEdits({ ...edits, ...changed });
  const isSame = JSON.stringify(values) === JSON.stringify(valuesOf(group));
  const refusal =
    refusalOf(permissions, group.name, "CAP_IAM_GROUPS_UPDATE") ??
    (isSame ? "Nothing has changed yet." : undefined);
  return (
    <Section title={isOrganization ? "Name, description and keys" : "Name and description"}>
      <form
        class="form access-form"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ ...values, ...trimmed(values) }, { onSuccess: () => setEdits({}) });
        }}
      >
        {group.verified && (
          <p>
            The name of a verified organization cannot change: <code>{group.name}</code>
          </p>
        )}
        <NamingFields
          naming={values}
          isNamed={group.verified === true}
          error={rename.error}
          onChange={edit}
        />
        {isOrganization && <OrganizationFields values={values} onChange={edit} />}
        <FormError error={rename.error} fields={["name", "description"]} />
        <Button type="submit" busy={rename.isPending} refusal={refusal}>
          Save
        </Button>
      </form>
    </Section>
  );
}

function OrganizationFields({
  values,
  onChange,
}: {
  values: Values;
  onChange: (changed: Partial<Values>) => void;
}) {
  return (
    <>
      <SelectField
        label="Kind"
        value={values.kind}
        options={kinds}
        onChange={(kind) => onChange({ kind })}
      />
      <CheckField
        label="Forbid keys. The keys of all identities stop working at once."
        checked={values.keysDisabled}
        onChange={(keysDisabled) => onChange({ keysDisabled })}
      />
    </>
  );
}

function DeleteSection({ group, isOrganization }: PartProps) {
  const [isOpen, setOpen] = useState(false);
  const permissions = useMay(group.uid);
  const what = isOrganization ? "organization" : "group";
  return (
    <Section title={`Delete this ${what}`}>
      <p>The {what} must be empty. Its role bindings are deleted with it.</p>
      <Button
        kind="danger"
        onClick={() => setOpen(true)}
        refusal={refusalOf(permissions, group.name, "CAP_IAM_GROUPS_DELETE")}
      >
        Delete {what}
      </Button>
      {isOpen && <DeleteGroupDialog group={group} onClose={() => setOpen(false)} />}
    </Section>
  );
}
