/** The command palette: one field that finds pages, resources, guides and operations. */
import { useEffect, useState } from "preact/hooks";
import { useSettled } from "../data/settled.ts";
import { Combobox, type Option } from "../elements/combobox.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { type Destination, searchGuides } from "./search_index.ts";

interface PaletteProps {
  /** Places that are known without a search. The palette shows them first. */
  pages: readonly Destination[];
  /** Finds further places, such as resources of the person. */
  find?: (text: string) => Promise<Destination[]>;
  onGo: (address: string) => void;
  onClose: () => void;
}

/** In milliseconds without a key before the search begins. */
const pause = 150;
const minLength = 2;

const includes = ({ title }: Destination, text: string) =>
  title.toLowerCase().includes(text.toLowerCase());

/** A dialog with the field. Enter goes to the place that is marked. */
export function Palette({ pages, find, onGo, onClose }: PaletteProps) {
  const [text, setText] = useState("");
  const [results, setResults] = useState<{ text: string; places: readonly Destination[] }>();
  const asked = text.trim();
  const settled = useSettled(asked, pause);
  useEffect(() => {
    if (settled.length < minLength) return;
    let isCurrent = true;
    const searches = [find?.(settled) ?? [], searchGuides(settled)];
    void Promise.allSettled(searches).then((parts) => {
      const places = parts.flatMap((part) => (part.status === "fulfilled" ? part.value : []));
      if (isCurrent) setResults({ text: settled, places });
    });
    return () => {
      isCurrent = false;
    };
  }, [settled]);
  const further = results?.text === asked ? results.places : [];
  const isBusy = asked.length >= minLength && results?.text !== asked;
  const shown = [...pages.filter((page) => includes(page, asked)), ...further];
  const options: Option[] = shown.map(({ address, title, detail }) => ({
    value: address,
    text: title,
    detail,
  }));
  return (
    <Dialog title="Search" onClose={onClose}>
      <div class="palette">
        <Combobox
          label={
            find ? "Go to a page, a resource or a guide" : "Go to a page, a guide or an operation"
          }
          hint={
            find &&
            "A part of a name or email address, repository:tag, a digest or its first 12 digits, or the id of a vulnerability. In lists of more than 200 rows, enter the beginning of the name. The first digits are compared with the 200 newest tags."
          }
          text={text}
          onText={setText}
          options={options}
          onChoose={({ value }) => onGo(value)}
          busy={isBusy}
          alwaysOpen
        />
        {asked.length >= minLength && !isBusy && options.length === 0 && (
          <p role="status">Nothing was found.</p>
        )}
      </div>
    </Dialog>
  );
}
