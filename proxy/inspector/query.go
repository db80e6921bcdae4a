package inspector

import (
	"net/http"
	"strconv"
)

// number returns a number from the query, or none if it is missing.
func number(r *http.Request, name string, none int64) (int64, error) {
	s := r.URL.Query().Get(name)
	if s == "" {
		return none, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, &problem{http.StatusBadRequest, name + ": write a whole number"}
	}
	return n, nil
}

// opened returns the exchange in the path, if it is still kept.
func (in *Inspector) opened(r *http.Request) (*keptExchange, error) {
	x := in.store.find(r.PathValue("id"))
	if x == nil || x.isGone() {
		return nil, &problem{http.StatusNotFound, "this exchange is no longer kept"}
	}
	return x, nil
}
