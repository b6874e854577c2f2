/** The form that links a group to accounts, or changes the links. */
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { AccountAssociation, AccountAssociationInput } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { rootOf } from "../data/uids.ts";
import { useUnchanged } from "../data/unchanged.ts";
import { Button } from "../elements/button.tsx";
import { FormError } from "../elements/form_error.tsx";
import { Page } from "../elements/page.tsx";
import { addresses } from "../frame/addresses.ts";
import { AssociationFields } from "./association_fields.tsx";
import { type AssociationForm, formOf, inputOf } from "./association_form.ts";
import { capabilities } from "./capabilities.ts";

/** The fields that show what the platform says about them. */
const shownPaths = [
  ...["name", "description", "amazon.account", "google.project_id", "google.project_number"],
  "azure.tenant_id",
];

interface EditProps {
  uid: string;
  groupName: string;
  association: AccountAssociation | null;
}

export function EditAssociation({ uid, groupName, association }: EditProps) {
  const client = useClient();
  const [, navigate] = useLocation();
  const permissions = useMay(uid);
  const [form, setForm] = useState<AssociationForm>(() => formOf(association));
  const page = addresses.accountAssociation(uid);
  const isNew = association === null;
  const write = useUnchanged(association ?? { uid, name: "" }, (of) =>
    client.accountAssociations.get(of),
  );
  const change = useChange<AccountAssociationInput, AccountAssociation | null>({
    key: ["accountAssociations", uid],
    call: async (input) => {
      if (isNew) await client.accountAssociations.create(uid, input);
      else
        await write((options) =>
          client.accountAssociations.update(uid, input, { ...options, updateMask: ["*"] }),
        );
      navigate(page);
    },
    done: () => (isNew ? `Linked ${groupName}.` : `Saved the accounts of ${groupName}.`),
    reverse: (before) => (before && !isNew ? inputOf(formOf(before)) : undefined),
  });
  const { error } = change;
  const refusal = refusalOf(permissions, groupName, ...capabilities[isNew ? "create" : "update"]);
  return (
    <Page
      title={isNew ? `Link accounts to ${groupName}` : `Edit the accounts of ${groupName}`}
      path={[
        ["Account associations", addresses.accountAssociations(rootOf(uid))],
        [groupName, page],
      ]}
    >
      <form
        class="form account-associations-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (refusal === undefined && !change.isPending) change.mutate(inputOf(form));
        }}
      >
        <AssociationFields
          group={uid}
          form={form}
          onChange={(changes) => setForm({ ...form, ...changes })}
          error={error}
        />
        <FormError error={error} fields={shownPaths} />
        <div class="account-associations-actions">
          <Button type="submit" kind="primary" busy={change.isPending} refusal={refusal}>
            {isNew ? "Link" : "Save"}
          </Button>
          <Link class="button" href={isNew ? addresses.accountAssociations(rootOf(uid)) : page}>
            Cancel
          </Link>
        </div>
      </form>
    </Page>
  );
}
