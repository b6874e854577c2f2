/** The fields for what a tag rule makes expire. */
import type { NewestOrder } from "../../client/index.ts";
import { CheckField, SelectField, TextField, violationOf } from "../elements/fields.tsx";
import type { ExpireDraft } from "./expire_draft.ts";
import type { DraftFieldsProps } from "./requirement_fields.tsx";

const subjects: readonly (readonly [ExpireDraft["expiring"], string])[] = [
  ["tags", "Tags"],
  ["untagged", "Images without a tag"],
];

const orders: readonly (readonly [NewestOrder, string])[] = [
  ["NEWEST_ORDER_VERSION", "By the version in the name"],
  ["NEWEST_ORDER_TIME", "By the time of the last move"],
];

/** The fields, as the platform names them, that show their errors. */
export const expireFields = [
  "expire.unmoved_days",
  "expire.unpulled_days",
  "beyond_newest.count",
  "expire.untagged_days",
] as const;

export function ExpireFields(props: DraftFieldsProps) {
  const { draft, edit, error } = props;
  const fault = violationOf(error, "expire");
  const isOfField = expireFields.some((field) => violationOf(error, field));
  return (
    <>
      <SelectField
        label="What expires"
        value={draft.expiring}
        options={subjects}
        onChange={(expiring) => edit({ expiring })}
        hint="A rule is about one of them. A rule about images without a tag has no other condition and no patterns of tags."
      />
      {draft.expiring === "tags" ? <TagConditions {...props} /> : <UntaggedDays {...props} />}
      {fault && !isOfField && <p class="field-error">{fault}</p>}
      <CheckField
        label="Another person must approve"
        checked={draft.approval}
        onChange={(approval) => edit({ approval })}
        hint="A plan then waits until someone other than its maker has approved it."
      />
      <CheckField
        label="Every day"
        checked={draft.daily}
        onChange={(daily) => edit({ daily })}
        hint="The platform makes a plan every day and carries it out. Otherwise someone makes each plan."
      />
    </>
  );
}

function TagConditions({ draft, edit, error }: DraftFieldsProps) {
  return (
    <>
      <p class="hint">A tag expires if all conditions hold that you fill in.</p>
      <TextField
        label="Days since it moved"
        type="number"
        value={draft.unmovedDays}
        onInput={(unmovedDays) => edit({ unmovedDays })}
        hint="1 to 365. Empty without this condition."
        error={violationOf(error, "expire.unmoved_days")}
      />
      <TextField
        label="Days since it was pulled"
        type="number"
        value={draft.unpulledDays}
        onInput={(unpulledDays) => edit({ unpulledDays })}
        hint="1 to 365. The tag has not moved in this time either. Empty without this condition."
        error={violationOf(error, "expire.unpulled_days")}
      />
      <TextField
        label="Beyond the newest"
        type="number"
        value={draft.newestCount}
        onInput={(newestCount) => edit({ newestCount })}
        hint="How many of the newest tags stay: 1 to 10,000. Empty without this condition."
        error={violationOf(error, "beyond_newest.count")}
      />
      {draft.newestCount !== "" && (
        <SelectField
          label="Order of the newest"
          value={draft.newestOrder}
          options={orders}
          onChange={(newestOrder) => edit({ newestOrder })}
          hint="By version, names such as 1.3.0 and 1.3.0-slim are counted apart. A name without a version stays."
        />
      )}
    </>
  );
}

const UntaggedDays = ({ draft, edit, error }: DraftFieldsProps) => (
  <TextField
    label="Days without a tag"
    type="number"
    value={draft.untaggedDays}
    onInput={(untaggedDays) => edit({ untaggedDays })}
    hint="No tag has pointed to the image for this many days: 1 to 365."
    error={violationOf(error, "expire.untagged_days")}
    required
  />
);
