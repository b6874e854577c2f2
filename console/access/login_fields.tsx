/** The fields of a question about a login, which can have more access than the person's own token. */
import { useQuery } from "@tanstack/preact-query";
import { useClient } from "../data/platform.tsx";
import { SelectField, TextField } from "../elements/fields.tsx";

/** Identity providers that can be chosen. */
const maxProviders = 200;

/** A login of a person. Empty without a provider. */
export interface Login {
  /** The uid of the identity provider. */
  provider: string;
  /** The groups of the person there, separated by commas. */
  groups: string;
}

interface LoginFieldsProps {
  organization: string;
  login: Login;
  onChange: (login: Login) => void;
}

/** Shows nothing if the organization has no identity provider. */
export function LoginFields({ organization, login, onChange }: LoginFieldsProps) {
  const client = useClient();
  const { data: providers = [] } = useQuery({
    queryKey: ["identityProviders", "names", organization],
    queryFn: () =>
      client.identityProviders
        .list({ descendantsOf: organization, orderBy: "name", pageSize: maxProviders })
        .all(maxProviders),
    staleTime: 60_000,
  });
  if (providers.length === 0) return null;
  const { provider, groups } = login;
  return (
    <details class="access-person" open={provider !== ""}>
      <summary>Ask about a login of a person</summary>
      <p class="hint">
        Role mappings give roles to the groups of a person at an identity provider. Choose the
        provider and name the groups to include these roles.
      </p>
      <SelectField
        label="Identity provider"
        value={provider}
        options={[
          ["", "No login"],
          ...providers.map(({ uid, name }): [string, string] => [uid, name]),
        ]}
        onChange={(value) => onChange({ provider: value, groups })}
      />
      {provider !== "" && (
        <TextField
          label="Groups of the person there"
          hint="Separated by commas."
          value={groups}
          onInput={(value) => onChange({ provider, groups: value })}
        />
      )}
    </details>
  );
}
