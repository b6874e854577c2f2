/** The filters of the event log: a field that finds every kind of filter, the chosen ones, and the period. */
import { useState } from "preact/hooks";
import { useKnownName } from "../data/names.ts";
import { useParameters } from "../data/parameters.ts";
import { periodOptions } from "../data/periods.ts";
import { rootOf, shortUid } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { Combobox } from "../elements/combobox.tsx";
import { SelectField } from "../elements/fields.tsx";
import { Icon } from "../elements/icon.tsx";
import { TimeField } from "../elements/time_field.tsx";
import { titleOf } from "./event_types.ts";
import { type EventFilters, filterNames, hasFilters, type TextFilter } from "./filters.ts";
import { useIdentityName } from "./names.tsx";
import { useSuggestions } from "./suggestions.ts";

interface FilterBarProps {
  group: string;
  filters: EventFilters;
  /** Whether a person can choose a period. The live view has none. */
  hasPeriod: boolean;
}

/** Changes the filters in the address. */
export function FilterBar({ group, filters, hasPeriod }: FilterBarProps) {
  const { set } = useParameters();
  const [text, setText] = useState("");
  const { options, busy } = useSuggestions(group, text);
  const choose = (value: string) => {
    const chosen = options.find((option) => option.value === value);
    if (!chosen) return;
    setText("");
    const { filter, meaning } = chosen;
    if (filter !== "type") set({ [filter]: meaning });
    else set({ types: [...new Set([...filters.types, meaning])].join(",") });
  };
  const clear = () =>
    set({
      types: "",
      repo: "",
      actor: "",
      subject: "",
      tag: "",
      request: "",
      period: "",
      since: "",
      before: "",
    });
  return (
    <search class="events-filters">
      <div class="events-filter-fields">
        <Combobox
          label="Filter"
          placeholder="Type, repository, person, tag, uid or request id"
          text={text}
          onText={setText}
          options={options}
          onChoose={({ value }) => choose(value)}
          busy={busy}
        />
        {hasPeriod && <PeriodFields filters={filters} />}
      </div>
      {hasFilters(filters) && (
        <div class="events-chips-line">
          <Chips group={group} filters={filters} />
          <Button onClick={clear}>Clear filters</Button>
        </div>
      )}
    </search>
  );
}

const timeOptions = [["", "Any time"], ...periodOptions, ["custom", "Between two times"]] as const;

function PeriodFields({ filters: { period, since, before } }: { filters: EventFilters }) {
  const { set } = useParameters();
  return (
    <>
      <SelectField
        label="Time"
        value={period}
        options={timeOptions}
        onChange={(next) => set({ period: next, since: "", before: "" })}
      />
      {period === "custom" && (
        <>
          <TimeField label="From" value={since} onChange={(next) => set({ since: next })} />
          <TimeField label="To" value={before} onChange={(next) => set({ before: next })} />
        </>
      )}
    </>
  );
}

function Chips({ group, filters: { types, texts } }: { group: string; filters: EventFilters }) {
  const { set } = useParameters();
  return (
    <ul class="events-chips" aria-label="Chosen filters">
      {types.map((type) => (
        <Chip
          key={type}
          name={filterNames.type}
          text={titleOf(type)}
          title={type}
          onRemove={() => set({ types: types.filter((other) => other !== type).join(",") })}
        />
      ))}
      {(Object.entries(texts) as [TextFilter, string][]).map(([filter, value]) => (
        <TextChip
          key={filter}
          filter={filter}
          value={value}
          group={group}
          onRemove={() => set({ [filter]: "" })}
        />
      ))}
    </ul>
  );
}

interface TextChipProps {
  filter: TextFilter;
  value: string;
  group: string;
  onRemove: () => void;
}

function TextChip({ filter, value, group, onRemove }: TextChipProps) {
  const repo = useKnownName("repos", filter === "repo" ? value : "");
  const identity = useIdentityName(filter === "actor" ? value : "", rootOf(group));
  const isUid = filter !== "tag" && filter !== "request";
  const text = repo || identity || (isUid ? shortUid(value) : value);
  return <Chip name={filterNames[filter]} text={text} title={value} onRemove={onRemove} />;
}

interface ChipProps {
  name: string;
  text: string;
  title: string;
  onRemove: () => void;
}

/** A chosen filter, with a button that removes it. */
function Chip({ name, text, title, onRemove }: ChipProps) {
  return (
    <li class="events-chip">
      <span title={title}>
        <span class="pale">{name}: </span>
        <bdi>{text}</bdi>
      </span>
      <button
        type="button"
        class="icon-button"
        aria-label={`Remove ${name}: ${text}`}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}
