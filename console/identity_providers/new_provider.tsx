/** The page that registers an identity provider. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { useChange } from "../data/change.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useClient, useSession } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { CopyLine } from "../elements/copy.tsx";
import { Page } from "../elements/page.tsx";
import { addresses } from "../frame/addresses.ts";
import { capabilities } from "./capabilities.ts";
import { ProviderFields } from "./provider_fields.tsx";
import { emptyForm, inputOf, type ProviderForm } from "./provider_form.ts";
import { SaveBar } from "./save_bar.tsx";

export default function NewProvider() {
  const client = useClient();
  const { addresses: platform } = useSession();
  const [, navigate] = useLocation();
  const { uid: group, group: shown } = useCurrentGroup();
  const permissions = useMay(group);
  const [form, setForm] = useState<ProviderForm>(emptyForm);
  const creation = useChange<ProviderForm>({
    key: ["identityProviders"],
    call: async (input) => {
      const { uid } = await client.identityProviders.create(group, inputOf(input));
      navigate(addresses.identityProvider(uid));
    },
    done: ({ name }) => `Created ${name}.`,
  });
  const refusal =
    refusalOf(permissions, shown?.name ?? "", ...capabilities.create) ??
    (form.role ? undefined : "Choose a default role first.");
  return (
    <Page
      title="New identity provider"
      path={[["Identity providers", addresses.identityProviders(group)]]}
      lead={`People of this provider can then log in to ${shown?.name ?? "the group"}.`}
    >
      <form
        class="form identity-providers-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (refusal === undefined && !creation.isPending) creation.mutate(form);
        }}
      >
        <div class="identity-providers-uris">
          <p>Create a client for the platform at your provider first. Allow this redirect URI:</p>
          <CopyLine text={`${platform.issuer}/oauth/callback`} what="redirect URI" />
          <p class="hint">
            Some providers need a second one. The page of the identity provider shows it afterwards.
          </p>
        </div>
        <ProviderFields
          group={group}
          form={form}
          onChange={(changes) => setForm({ ...form, ...changes })}
          error={creation.error}
        />
        <SaveBar
          action="Create"
          change={creation}
          refusal={refusal}
          back={addresses.identityProviders(group)}
        />
      </form>
    </Page>
  );
}
