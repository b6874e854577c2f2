/** The fields of an identity provider. */
import { CheckField, SelectField, TextField, violationOf } from "../elements/fields.tsx";
import { NamingFields } from "../elements/naming_fields.tsx";
import { RolePicker } from "../elements/pickers.tsx";
import type { ProviderForm } from "./provider_form.ts";

/** The fields that show what the platform says about them. */
export const providerPaths = [
  ...["name", "description", "default_role", "issuer", "client_id", "client_secret"],
  ...["additional_scopes", "groups_claim", "correlation_rule"],
];

interface FieldsProps {
  /** The uid of the group that the identity provider belongs to. */
  group: string;
  form: ProviderForm;
  onChange: (changes: Partial<ProviderForm>) => void;
  error: Error | null;
  /** The form before a change, for an identity provider that exists. */
  before?: ProviderForm;
}

export function ProviderFields(props: FieldsProps) {
  const { group, form, onChange, error } = props;
  return (
    <>
      <fieldset>
        <legend>About</legend>
        <NamingFields
          naming={form}
          onChange={({ name, description }) => onChange({ name, description })}
          error={error}
        />
        <RolePicker
          group={group}
          label="Default role"
          hint="Everyone gets it on this group at their first login. People who have a role keep it when you change this."
          value={form.role}
          onChange={(role) => onChange({ role })}
          error={violationOf(error, "default_role")}
        />
      </fieldset>
      <Client {...props} />
      <Claims {...props} />
    </>
  );
}

function Client({ form, onChange, error, before }: FieldsProps) {
  const isOtherIssuer = before !== undefined && before.issuer !== form.issuer;
  return (
    <fieldset>
      <legend>OpenID Connect client</legend>
      <TextField
        label="Issuer"
        type="url"
        placeholder="https://login.example.com"
        hint={
          isOtherIssuer
            ? "Another issuer deletes the stored client secret. People of the old issuer can no longer log in."
            : "The URL of the provider, without /.well-known/openid-configuration."
        }
        value={form.issuer}
        onInput={(issuer) => onChange({ issuer })}
        error={violationOf(error, "issuer")}
        required
      />
      <TextField
        label="Client id"
        hint="The id of the platform as a client of the provider. It is not a secret."
        value={form.clientId}
        onInput={(clientId) => onChange({ clientId })}
        error={violationOf(error, "client_id")}
        required
      />
      <TextField
        label="Client secret"
        type="password"
        hint={
          before
            ? "Empty keeps the stored secret. The platform never shows it."
            : "Required without PKCE. The platform encrypts it and never shows it."
        }
        value={form.clientSecret}
        onInput={(clientSecret) => onChange({ clientSecret })}
        error={violationOf(error, "client_secret")}
      />
      {before && form.clientSecret === "" && (
        <CheckField
          label="Delete the stored client secret"
          hint="Possible with PKCE only."
          checked={form.dropsSecret}
          onChange={(dropsSecret) => onChange({ dropsSecret })}
        />
      )}
      <CheckField
        label="PKCE"
        hint="Protects the login with a one-time code (RFC 7636). The provider must support the method S256."
        checked={form.isPkce}
        onChange={(isPkce) => onChange({ isPkce })}
      />
    </fieldset>
  );
}

function Claims({ form, onChange, error, before }: FieldsProps) {
  return (
    <fieldset>
      <legend>Claims</legend>
      <TextField
        label="Additional scopes"
        hint="Separated by spaces. The platform always requests openid."
        value={form.scopes}
        onInput={(scopes) => onChange({ scopes })}
        error={violationOf(error, "additional_scopes")}
      />
      <TextField
        label="Groups claim"
        placeholder="groups"
        hint="The claim that lists the groups of a person. Role mappings need it."
        value={form.groupsClaim}
        onInput={(groupsClaim) => onChange({ groupsClaim })}
        error={violationOf(error, "groups_claim")}
      />
      {before ? (
        <p class="hint">
          Provisioned users are found by the claim <code>{claimOf(form.correlationRule)}</code>.
          This cannot change.
        </p>
      ) : (
        <SelectField
          label="Claim that finds a provisioned user"
          hint="It must equal the externalId of the user in SCIM. You cannot change it later."
          value={form.correlationRule}
          options={[
            ["CORRELATION_RULE_SUB_EQUALS_EXTERNAL_ID", "sub"],
            ["CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID", "oid, as in Microsoft Entra"],
          ]}
          onChange={(correlationRule) => onChange({ correlationRule })}
          error={violationOf(error, "correlation_rule")}
        />
      )}
    </fieldset>
  );
}

/** The name of the claim that must equal the `externalId` of a provisioned user. */
export const claimOf = (rule: string | undefined): string =>
  rule === "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID" ? "oid" : "sub";
