/** The values of the form of an identity provider, and what they mean for the API. */
import type {
  IdentityProvider,
  IdentityProviderInput,
  IdentityProviderOIDCCorrelationRule,
} from "../../client/index.ts";
import type { Choice } from "../data/choices.ts";

/** The state of the form. All texts are as the person typed them. */
export interface ProviderForm {
  name: string;
  description: string;
  issuer: string;
  clientId: string;
  /** Empty on an update keeps the stored one. */
  clientSecret: string;
  /** Whether an update deletes the stored secret. */
  dropsSecret: boolean;
  isPkce: boolean;
  /** Separated by spaces. */
  scopes: string;
  groupsClaim: string;
  correlationRule: IdentityProviderOIDCCorrelationRule;
  role: Choice | undefined;
}

/** A new identity provider: PKCE works at nearly all providers, and `email` is needed for invites to an address. */
export const emptyForm: ProviderForm = {
  name: "",
  description: "",
  issuer: "",
  clientId: "",
  clientSecret: "",
  dropsSecret: false,
  isPkce: true,
  scopes: "email profile",
  groupsClaim: "",
  correlationRule: "CORRELATION_RULE_SUB_EQUALS_EXTERNAL_ID",
  role: undefined,
};

/** The form of an identity provider that exists. */
export const formOf = (
  { name, description = "", oidc }: IdentityProvider,
  role: Choice,
): ProviderForm => ({
  ...emptyForm,
  name,
  description,
  role,
  issuer: oidc?.issuer ?? "",
  clientId: oidc?.clientId ?? "",
  isPkce: oidc?.pkceEnabled ?? false,
  scopes: (oidc?.additionalScopes ?? []).join(" "),
  groupsClaim: oidc?.groupsClaim ?? "",
  correlationRule: oidc?.correlationRule ?? emptyForm.correlationRule,
});

/** The message of a create. */
export function inputOf(form: ProviderForm): IdentityProviderInput {
  const { clientSecret, correlationRule } = form;
  return {
    name: form.name.trim(),
    description: form.description.trim(),
    defaultRole: form.role?.uid ?? "",
    oidc: {
      issuer: form.issuer.trim(),
      clientId: form.clientId.trim(),
      ...(clientSecret === "" ? {} : { clientSecret }),
      additionalScopes: form.scopes.split(/\s+/).filter(Boolean),
      groupsClaim: form.groupsClaim.trim(),
      correlationRule,
      pkceEnabled: form.isPkce,
    },
  };
}

/** The update mask: only the fields that differ, because some of them need more capabilities than others. */
export function changedPaths(before: ProviderForm, after: ProviderForm): string[] {
  const paths = {
    name: "name",
    description: "description",
    role: "defaultRole",
    issuer: "oidc.issuer",
    clientId: "oidc.clientId",
    scopes: "oidc.additionalScopes",
    groupsClaim: "oidc.groupsClaim",
    isPkce: "oidc.pkceEnabled",
  } as const;
  const keys = Object.keys(paths) as (keyof typeof paths)[];
  const text = (form: ProviderForm, key: keyof typeof paths) =>
    key === "role" ? form.role?.uid : form[key];
  const changed = keys.filter((key) => text(before, key) !== text(after, key));
  const isSecretNew = after.clientSecret !== "" || after.dropsSecret;
  return [...changed.map((key) => paths[key]), ...(isSecretNew ? ["oidc.clientSecret"] : [])];
}
