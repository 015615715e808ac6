// A figure as a file: its SVG with all styles inlined, so that it looks the same anywhere.

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "font-style",
  "text-anchor",
  "visibility",
] as const;

/** The figure as an SVG file, on the page's background. */
export function svgText(figure: SVGSVGElement): string {
  const copy = figure.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) return "";
  const originals = [...figure.querySelectorAll<SVGElement>("*")];
  [...copy.querySelectorAll<SVGElement>("*")].forEach((element, index) => {
    const original = originals[index];
    if (!original) return;
    const style = getComputedStyle(original);
    for (const name of STYLES) element.style.setProperty(name, style.getPropertyValue(name));
    element.removeAttribute("class");
    element.removeAttribute("tabindex");
  });
  const background = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  background.setAttribute("width", "100%");
  background.setAttribute("height", "100%");
  background.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(background);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

/** Pixels of a PNG per pixel of the figure, for sharp rendering. */
const SCALE = 2;

/** The figure as a PNG in base64. Rejects if the page cannot draw it. */
export async function pngData(figure: SVGSVGElement): Promise<string> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(figure))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = figure.width.baseVal.value * SCALE;
  canvas.height = figure.height.baseVal.value * SCALE;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this page cannot draw images");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png").replace(/^data:image\/png;base64,/u, "");
}
