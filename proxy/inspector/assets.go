package inspector

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// page has the files that a browser loads. Nothing comes from elsewhere, and there is no build step.
//
//go:embed page
var page embed.FS

// assetTypes maps file extensions to media types, so that the types do not depend on the machine.
var assetTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// asset is a file of the page.
type asset struct {
	name, tag string
	data      []byte
}

// assets returns the handler of the page's files. They contain nothing about exchanges, so they need no token.
func assets() http.Handler {
	files := map[string]asset{}
	err := fs.WalkDir(page, "page", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := page.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		at := strings.TrimSuffix(strings.TrimPrefix(name, "page"), "index.html")
		files[at] = asset{name, `"` + hex.EncodeToString(sum[:8]) + `"`, data}
		return nil
	})
	if err != nil {
		panic(err) // cannot happen: the files are embedded
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := files["/"+strings.TrimPrefix(r.URL.Path, Path)]
		if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
			refuse(w, errNothing)
			return
		}
		w.Header().Set("Content-Type", assetTypes[path.Ext(file.name)])
		w.Header().Set("Cache-Control", "no-cache") // the ETag saves sending it again
		w.Header().Set("Etag", file.tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.data))
	})
}
