/** The form that changes an identity provider. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { IdentityProvider } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useName } from "../data/names.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { parentOf } from "../data/uids.ts";
import { useUnchanged } from "../data/unchanged.ts";
import { Page } from "../elements/page.tsx";
import { addresses } from "../frame/addresses.ts";
import { capabilities } from "./capabilities.ts";
import { ProviderFields } from "./provider_fields.tsx";
import { changedPaths, formOf, inputOf, type ProviderForm } from "./provider_form.ts";
import { SaveBar } from "./save_bar.tsx";

export function EditProvider({ provider }: { provider: IdentityProvider }) {
  const { uid, name, defaultRole } = provider;
  const client = useClient();
  const [, navigate] = useLocation();
  const group = parentOf(uid);
  const { data: shown } = useGroup(group);
  const permissions = useMay(group);
  const role = { uid: defaultRole, name: useName("roles", defaultRole) };
  const before = formOf(provider, role);
  const [changes, setChanges] = useState<Partial<ProviderForm>>({});
  const form = { ...before, ...changes };
  const isEdited = Object.keys(changes).length > 0;
  const write = useUnchanged(provider, (of) => client.identityProviders.get(of), isEdited);
  const page = addresses.identityProvider(uid);
  const paths = changedPaths(before, form);
  const update = useChange<ProviderForm>({
    key: ["identityProviders", uid],
    call: async (input) => {
      await write((options) =>
        client.identityProviders.update(uid, inputOf(input), { ...options, updateMask: paths }),
      );
      navigate(page);
    },
    done: () => `Saved ${name}.`,
  });
  const refusal =
    refusalOf(permissions, shown?.name ?? "", ...capabilities.update) ??
    (form.role ? undefined : "Choose a default role first.") ??
    (paths.length > 0 ? undefined : "Nothing has changed yet.");
  return (
    <Page
      title={`Edit ${name}`}
      path={[
        ["Identity providers", addresses.identityProviders(group)],
        [name, page],
      ]}
    >
      <form
        class="form identity-providers-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (refusal === undefined && !update.isPending) update.mutate(form);
        }}
      >
        <ProviderFields
          group={group}
          form={form}
          before={before}
          onChange={(more) => setChanges({ ...changes, ...more })}
          error={update.error}
        />
        <SaveBar action="Save" change={update} refusal={refusal} back={page} />
      </form>
    </Page>
  );
}
