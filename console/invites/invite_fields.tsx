/** The fields of an invite, for a new one and for one that exists. */
import type { GroupInviteInput } from "../../client/index.ts";
import type { Choice } from "../data/choices.ts";
import { CheckField, SelectField, TextField, violationOf } from "../elements/fields.tsx";
import { RolePicker } from "../elements/pickers.tsx";

/** The state of the form. */
export interface InviteForm {
  role: Choice | undefined;
  email: string;
  /** Days as a text, `other`, or an empty text for an invite that keeps its expiration. */
  lifetime: string;
  /** Days as a text, for `other`. */
  days: string;
  isSingleUse: boolean;
}

/** The fields that show what the platform says about them. */
export const invitePaths = ["role_uid", "email", "ttl"];

const lifetimes = [
  ["1", "1 day"],
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "1 year"],
  ["other", "Another number of days"],
] as const;

const secondsPerDay = 86_400;

/** The lifetime as the API takes it, or undefined for an invite that keeps its expiration. */
export function ttlOf({ lifetime, days }: InviteForm): string | undefined {
  if (lifetime === "") return undefined;
  const count = Number(lifetime === "other" ? days : lifetime);
  return `${Math.round(count * secondsPerDay)}s`;
}

/** The values of the form for a create. */
export const inputOf = (form: InviteForm): GroupInviteInput => ({
  roleUid: form.role?.uid ?? "",
  ttl: ttlOf(form) ?? "",
  singleUse: form.isSingleUse,
  ...(form.email.trim() === "" ? {} : { email: form.email.trim() }),
});

interface FieldsProps {
  group: string;
  form: InviteForm;
  onChange: (changes: Partial<InviteForm>) => void;
  error: Error | null;
  /** Whether the invite exists, so that it can keep its expiration. */
  isOld?: boolean;
}

export function InviteFields({ group, form, onChange, error, isOld = false }: FieldsProps) {
  const keep = [["", "Keep the expiration"]] as const;
  return (
    <>
      <RolePicker
        group={group}
        label="Role"
        hint="The role that the person gets. You can only give capabilities that you have."
        value={form.role}
        onChange={(role) => onChange({ role })}
        error={violationOf(error, "role_uid")}
      />
      <SelectField
        label={isOld ? "Works from now for" : "Works for"}
        value={form.lifetime}
        options={[...(isOld ? keep : []), ...lifetimes]}
        onChange={(lifetime) => onChange({ lifetime })}
        error={violationOf(error, "ttl")}
      />
      {form.lifetime === "other" && (
        <TextField
          label="Days"
          type="number"
          value={form.days}
          onInput={(days) => onChange({ days })}
          required
        />
      )}
      <TextField
        label="Email address"
        type="email"
        hint="Optional. Only the person with this verified address can then accept the invite. The platform sends no mail."
        value={form.email}
        onInput={(email) => onChange({ email })}
        error={violationOf(error, "email")}
      />
      <CheckField
        label="Single use"
        hint="Only the first person who accepts it gets the role."
        checked={form.isSingleUse}
        onChange={(isSingleUse) => onChange({ isSingleUse })}
      />
    </>
  );
}
