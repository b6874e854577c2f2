/** The fields for the condition of a tag rule. */
import type { ForwardOrder } from "../../client/index.ts";
import type { Choice } from "../data/choices.ts";
import { useKnownName } from "../data/names.ts";
import { SelectField, TextField, violationOf } from "../elements/fields.tsx";
import { RolePicker } from "../elements/pickers.tsx";
import type { ConditionKind, RuleKind, ServingKind } from "./draft.ts";
import { ExpireFields } from "./expire_fields.tsx";
import { type DraftFieldsProps, RequirementFields } from "./requirement_fields.tsx";

const ruleKinds: readonly (readonly [RuleKind, string])[] = [
  ["keep", "It keeps tags"],
  ["serve", "It chooses the image that a pull gets"],
  ["expire", "It makes tags or images expire"],
];

const kinds: readonly (readonly [ConditionKind, string])[] = [
  ["writeOnce", "It can be set only once"],
  ["forward", "It can only move forward"],
  ["roleUid", "Only a role can change it"],
  ["promotion", "Its image must come from another tag"],
  ["requirement", "Its image must meet requirements"],
];

const orders: readonly (readonly [ForwardOrder, string])[] = [
  ["FORWARD_ORDER_VERSION", "By version"],
  ["FORWARD_ORDER_IMAGE_TIME", "By the time when the image was built"],
];

type ConditionFieldsProps = DraftFieldsProps & { group: string };

/** `group` is the uid of the nearest group, whose roles can be chosen. */
export function ConditionFields(props: ConditionFieldsProps) {
  const { draft, edit } = props;
  return (
    <>
      <SelectField
        label="What it does"
        value={draft.kind}
        options={ruleKinds}
        onChange={(kind) => edit({ kind })}
      />
      {draft.kind === "keep" && <KeepFields {...props} />}
      {draft.kind === "serve" && <ServeFields {...props} />}
      {draft.kind === "expire" && <ExpireFields {...props} />}
    </>
  );
}

function KeepFields(props: ConditionFieldsProps) {
  const { draft, edit, error, group } = props;
  return (
    <>
      <SelectField
        label="When a tag may change"
        value={draft.condition}
        options={kinds}
        onChange={(condition) => edit({ condition })}
        hint="A tag that a rule keeps cannot be deleted. With a role, that role can delete it."
      />
      {draft.condition === "forward" && (
        <SelectField
          label="Order"
          value={draft.forward}
          options={orders}
          onChange={(forward) => edit({ forward })}
          hint="By version, an image has the greatest version among its other tags, such as 1.2.3."
          error={violationOf(error, "keep.forward")}
        />
      )}
      {draft.condition === "roleUid" && (
        <RoleField
          label="Role"
          group={group}
          role={draft.role}
          onChange={(role) => edit({ role })}
          hint="Only identities that have it here or on a group above can set, move or delete a tag."
          error={violationOf(error, "keep.role_uid")}
        />
      )}
      {draft.condition === "promotion" && <PromotionFields {...props} />}
      {draft.condition === "requirement" && <RequirementFields {...props} />}
    </>
  );
}

const servingKinds: readonly (readonly [ServingKind, string])[] = [
  ["cooldownHours", "The newest image that has cooled down"],
  ["requirement", "The newest image that meets requirements"],
];

function ServeFields(props: ConditionFieldsProps) {
  const { draft, edit, error, group } = props;
  return (
    <>
      <SelectField
        label="What a pull gets"
        value={draft.serving}
        options={servingKinds}
        onChange={(serving) => edit({ serving })}
        hint="A pull of a digest always gets that digest."
      />
      {draft.serving === "requirement" ? (
        <RequirementFields {...props} />
      ) : (
        <TextField
          label="Hours to cool down"
          type="number"
          value={draft.cooldown}
          onInput={(cooldown) => edit({ cooldown })}
          hint="The tag must have moved to the image at least this long ago: 1 to 8,760 hours."
          error={violationOf(error, "serve.cooldown_hours")}
          required
        />
      )}
      <RoleField
        label="Exempt role"
        group={group}
        role={draft.exemptRole}
        onChange={(exemptRole) => edit({ exemptRole })}
        hint="Identities that have it get the image that the tag points to. Empty for none."
        error={violationOf(error, "serve.exempt_role_uid")}
      />
    </>
  );
}

interface RoleFieldProps {
  label: string;
  group: string;
  role: Choice | undefined;
  onChange: (role: Choice | undefined) => void;
  hint: string;
  error: string | undefined;
}

function RoleField({ role, ...field }: RoleFieldProps) {
  const known = useKnownName("roles", role?.name === "" ? role.uid : "");
  return <RolePicker {...field} value={role && { ...role, name: role.name || known }} />;
}

function PromotionFields({ draft, edit, error }: DraftFieldsProps) {
  return (
    <>
      <TextField
        label="From the tags"
        value={draft.from}
        onInput={(from) => edit({ from })}
        hint="A pattern, such as staging-*. One of these tags must have pointed to the image."
        error={violationOf(error, "promotion.from")}
        required
      />
      <TextField
        label="For how many hours"
        type="number"
        value={draft.hours}
        onInput={(hours) => edit({ hours })}
        error={violationOf(error, "promotion.hours")}
      />
    </>
  );
}
