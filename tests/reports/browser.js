// Asked of the report inside a frame; the answers go to the page around it.
addEventListener("load", async () => {
  // a reader opens what is folded
  document.querySelectorAll("details").forEach((e) => (e.open = true));
  const shown = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
  const channels = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const luminance = (rgb) =>
    rgb.slice(0, 3)
      .map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + [0.2126, 0.7152, 0.0722][i] * c, 0);
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const rgba = channels(getComputedStyle(at).backgroundColor);
      if (rgba.length === 3 || rgba[3] === 1) return rgba;
    }
    return [255, 255, 255];
  };
  const contrast = (e) => {
    const [a, b] = [luminance(channels(getComputedStyle(e).color)), luminance(behind(e))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const box = (e) => (e ? e.getBoundingClientRect() : { top: -1, bottom: -1 });
  const overview = box(document.querySelector("main figure img"));
  const before = { pictureBottom: overview.bottom, pictureTop: overview.top,
    scheme: getComputedStyle(document.body).backgroundColor };
  document.querySelectorAll("details").forEach((e) => (e.open = true));
  const pictures = [...document.images];
  await Promise.all(pictures.map((e) => e.decode().catch(() => null)));
  const texts = [...document.querySelectorAll("main *, nav *")].filter(
    (e) => shown(e) && !e.closest("math") && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()));
  const faint = texts.map((e) => [contrast(e), e.textContent.trim().slice(0, 60), e.className]).filter((x) => x[0] < 4.5);
  const wide = [...document.querySelectorAll("main *")].filter(
    (e) => shown(e) && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, .math, pre"));
  // a column that holds a sentence, and how many letters fit into a line of it
  const pen = document.createElement("canvas").getContext("2d");
  const letters = (e) => {
    const look = getComputedStyle(e);
    pen.font = `${look.fontSize} ${look.fontFamily}`;
    const inner = e.clientWidth - parseFloat(look.paddingLeft) - parseFloat(look.paddingRight);
    return inner / (pen.measureText("the privacy of one person").width / 25);
  };
  const columns = [...document.querySelectorAll("main p, main dd, main td, main li, main figcaption")].filter(
    (e) => shown(e) && getComputedStyle(e).display !== "inline" && !e.closest(".scroll, pre") && e.innerText.trim().length >= 60);
  const thin = columns.map((e) => [letters(e), e.innerText.trim().slice(0, 60)]).filter((x) => x[0] < 30);
  parent.postMessage(JSON.stringify({
    ...before,
    wrong: window.wrong,
    pictures: pictures.length,
    broken: pictures.filter((e) => !e.naturalWidth).map((e) => e.alt),
    wordless: pictures.filter((e) => !e.alt.trim()).length,
    sideways: document.documentElement.scrollWidth - innerWidth,
    wide: wide.slice(0, 5).map((e) => e.tagName + "." + e.className + ": " + e.textContent.trim().slice(0, 60)),
    faint: faint.slice(0, 8),
    faintCount: faint.length,
    columns: columns.length,
    thin: thin.slice(0, 8),
    formulas: document.querySelectorAll("math").length,
    smallest: Math.min(...texts.map((e) => parseFloat(getComputedStyle(e).fontSize))),
    screens: innerHeight,
  }), "*");
});
