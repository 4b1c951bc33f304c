#!/usr/bin/env python3
"""Every relative link in the Markdown files leads to a file, and every #heading to a heading in it.
links.py SOURCE_FOLDER"""
import pathlib, re, sys

root = pathlib.Path(sys.argv[1])
wrong = n = 0


def anchors(path):
    """The names by which headings are linked to: lower case, words joined by -, all else left out."""
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
    names = re.findall(r"^#+ +(.*?)\s*$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-") for name in names}


for page in sorted([*root.glob("*.md"), *root.glob("docs/*.md")]):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        n += 1
        file, _, heading = target.partition("#")
        path = page.parent / file if file else page
        if not path.exists():
            print(f"{page.relative_to(root)}: {target} leads nowhere")
            wrong += 1
        elif heading and path.suffix == ".md" and heading not in anchors(path):
            print(f"{page.relative_to(root)}: {target}: there is no such heading")
            wrong += 1
print(f"links: {n} checked, {wrong} wrong")
sys.exit(wrong > 0 or n == 0)
