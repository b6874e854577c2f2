/** The filter on images by time: those that someone pulled lately, or those to which tags led at a time. */
import { useMemo } from "preact/hooks";
import { useParameters } from "../data/parameters.ts";
import { SelectField } from "../elements/fields.tsx";
import { TimeField } from "../elements/time_field.tsx";

/** The fields of a request. Both are in RFC 3339. */
interface ImageTimes {
  pulledSince?: string;
  at?: string;
}

const hour = 3_600_000;
const hours: Record<string, number> = { "7d": 7 * 24, "30d": 30 * 24 };

/** The filter as the address has it: for requests, and as options of `platformctl`. */
export function useImageTimes() {
  const { get } = useParameters();
  const [images, at] = [get("images"), get("at")];
  return useMemo(() => {
    const past = hours[images];
    // The same time for an hour, so that all pages of a list are of one request.
    const since = past && new Date((Math.floor(Date.now() / hour) - past) * hour).toISOString();
    const request: ImageTimes = {
      ...(since ? { pulledSince: since } : {}),
      ...(images === "at" && at !== "" ? { at } : {}),
    };
    const options = { "pulled-since": since ? images : "", at: request.at ?? "" };
    return { request, options };
  }, [images, at]);
}

export function ImageTimesFilter() {
  const { get, set } = useParameters();
  const images = get("images");
  return (
    <>
      <SelectField
        label="Images"
        value={images}
        options={[
          ["", "Any"],
          ["7d", "Pulled in the last 7 days"],
          ["30d", "Pulled in the last 30 days"],
          ["at", "Tagged at a time"],
        ]}
        onChange={(next) => set({ images: next, ...(next === "at" ? {} : { at: "" }) })}
      />
      {images === "at" && (
        <TimeField label="Time" value={get("at")} onChange={(at) => set({ at })} />
      )}
    </>
  );
}
