/** The page that creates a role of a group. It can begin with the capabilities of another role. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { capabilities as known } from "../../client/capabilities.ts";
import type { Role } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { type Choice, useGroupChoice } from "../data/choices.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { rootOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { FormError } from "../elements/form_error.tsx";
import { trimmed } from "../elements/naming_fields.tsx";
import { Page } from "../elements/page.tsx";
import { GroupPicker } from "../elements/pickers.tsx";
import { Answer } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import { RoleFields, type RoleValues, valuesOf } from "./role_form.tsx";

export default function NewRole() {
  const client = useClient();
  const { uid: group } = useCurrentGroup();
  const { get } = useParameters();
  const copied = get("copy");
  const query = useQuery({
    queryKey: ["roles", copied],
    queryFn: () => client.roles.get(copied),
    enabled: copied !== "",
  });
  return (
    <Page title="New role" path={[["Roles", addresses.roles(group)]]}>
      {copied === "" ? (
        <NewRoleForm group={group} />
      ) : (
        <Answer query={query}>{(role) => <NewRoleForm group={group} copied={role} />}</Answer>
      )}
    </Page>
  );
}

/** The values that a new role begins with: those of the copied role, and the capability in the address. */
function firstValues(copied: Role | undefined, capability: string): RoleValues {
  const values = valuesOf(copied);
  // The operator's capabilities cannot be given by others.
  const usable = known.filter((capability) => !capability.isInternal && !capability.isDeprecated);
  const wanted = new Set<string>(values.capabilities);
  return {
    name: copied ? `${copied.name}-copy` : "",
    description: values.description,
    capabilities: usable
      .filter(({ value, name }) => wanted.has(value) || name === capability)
      .map(({ value }) => value),
  };
}

function NewRoleForm({ group, copied }: { group: string; copied?: Role }) {
  const client = useClient();
  const { get } = useParameters();
  const [, navigate] = useLocation();
  const [values, setValues] = useState(() => firstValues(copied, get("capability")));
  const [touched, setTouched] = useState<{ choice: Choice | undefined }>();
  const current = useGroupChoice(group);
  const home = touched ? touched.choice : current;
  const permissions = useMay(home?.uid ?? "");
  const creation = useChange<RoleValues & { home: string }>({
    key: ["roles"],
    call: async ({ home: parent, ...role }) => {
      const { uid } = await client.roles.create(parent, role);
      navigate(addresses.role(uid, group));
    },
    done: ({ name }) => `Created the role ${name}.`,
  });
  const { error } = creation;
  const refusal = home
    ? (refusalOf(permissions, home.name, "CAP_IAM_ROLES_CREATE") ??
      (values.capabilities.length === 0 ? "Choose at least one capability first." : undefined))
    : "Choose the group of the role first.";
  return (
    <form
      class="form roles-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (home && !refusal)
          creation.mutate({
            ...values,
            ...trimmed(values),
            home: home.uid,
          });
      }}
    >
      <GroupPicker
        label="Group"
        hint="The role can be given on this group and on the groups below it."
        group={rootOf(group)}
        value={home}
        onChange={(choice) => setTouched({ choice })}
      />
      <RoleFields values={values} onChange={setValues} error={error} whyNot={() => undefined} />
      <FormError error={error} fields={["name", "description", "capabilities"]} />
      <div class="roles-buttons">
        <Button type="submit" kind="primary" busy={creation.isPending} refusal={refusal}>
          Create
        </Button>
        <Button onClick={() => navigate(addresses.roles(group))}>Cancel</Button>
      </div>
    </form>
  );
}
