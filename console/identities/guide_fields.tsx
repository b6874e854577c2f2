/** The forms of the guides: what a person knows about their workload. */
import { CheckField, SelectField, TextField } from "../elements/fields.tsx";
import type { DraftKind } from "./drafts.ts";
import {
  type AwsGuide,
  type GuideName,
  type Guides,
  type KubernetesGuide,
  systemOf,
} from "./guides.ts";
import { RelationshipFields } from "./relationship_fields.tsx";
import { SystemFields } from "./system_fields.tsx";

interface GuideFieldsProps {
  name: GuideName;
  guides: Guides;
  error: Error | null;
  onChange: (guides: Guides) => void;
}

/** The fields of the chosen guide. */
export function GuideFields({ name, guides, error, onChange }: GuideFieldsProps) {
  const system = systemOf(name);
  if (system)
    return (
      <SystemFields
        system={system}
        values={guides.systems[system.id]}
        onChange={(values) =>
          onChange({ ...guides, systems: { ...guides.systems, [system.id]: values } })
        }
      />
    );
  switch (name) {
    case "kubernetes":
      return (
        <KubernetesFields
          guide={guides.kubernetes}
          onChange={(kubernetes) => onChange({ ...guides, kubernetes })}
        />
      );
    case "aws":
      return <AwsFields guide={guides.aws} onChange={(aws) => onChange({ ...guides, aws })} />;
    default:
      return (
        <RelationshipFields
          draft={{ ...guides.draft, kind: kindOfGuide[name] ?? "none" }}
          error={error}
          onChange={(draft) => onChange({ ...guides, draft })}
        />
      );
  }
}

const kindOfGuide: Partial<Record<GuideName, DraftKind>> = {
  oidc: "claimMatch",
  static: "staticKeys",
};

/** A guide, and what gets its next state. */
interface FieldsOf<Guide> {
  guide: Guide;
  onChange: (guide: Guide) => void;
}

function KubernetesFields({ guide, onChange }: FieldsOf<KubernetesGuide>) {
  return (
    <>
      <TextField
        label="Issuer of the cluster"
        hint={
          <>
            <code>kubectl get --raw /.well-known/openid-configuration</code> shows it.
          </>
        }
        value={guide.issuer}
        required
        onInput={(issuer) => onChange({ ...guide, issuer })}
      />
      <CheckField
        label="The platform can reach this address"
        hint="It must be a public https address. Otherwise the identity stores the keys of the cluster."
        checked={guide.isReachable}
        onChange={(isReachable) => onChange({ ...guide, isReachable })}
      />
      {!guide.isReachable && (
        <TextField
          label="Public keys of the cluster"
          hint={
            <>
              The output of <code>kubectl get --raw /openid/v1/jwks</code>. They work for at most
              365 days.
            </>
          }
          value={guide.keys}
          lines={5}
          required
          onInput={(keys) => onChange({ ...guide, keys })}
        />
      )}
      <TextField
        label="Namespace"
        value={guide.namespace}
        required
        onInput={(namespace) => onChange({ ...guide, namespace })}
      />
      <TextField
        label="Service account"
        value={guide.account}
        required
        onInput={(account) => onChange({ ...guide, account })}
      />
    </>
  );
}

function AwsFields({ guide, onChange }: FieldsOf<AwsGuide>) {
  const isRole = guide.principal === "role";
  return (
    <>
      <TextField
        label="Account"
        hint="The 12 digits of the AWS account."
        value={guide.account}
        required
        onInput={(account) => onChange({ ...guide, account })}
      />
      <SelectField
        label="Principal"
        value={guide.principal}
        options={[
          ["role", "A role, in all its sessions"],
          ["user", "A user"],
        ]}
        onChange={(principal) => onChange({ ...guide, principal })}
      />
      <TextField
        label={isRole ? "Name of the role" : "Name of the user"}
        value={guide.name}
        required
        onInput={(name) => onChange({ ...guide, name })}
      />
      <TextField
        label={isRole ? "Unique id of the role" : "Unique id of the user"}
        hint={
          isRole ? (
            <>
              It begins with AROA. <code>aws iam get-role</code> shows it as RoleId.
            </>
          ) : (
            <>
              It begins with AIDA. <code>aws iam get-user</code> shows it as UserId.
            </>
          )
        }
        value={guide.id}
        required
        onInput={(id) => onChange({ ...guide, id })}
      />
    </>
  );
}
